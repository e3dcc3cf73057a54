import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readManifest } from './packages.ts'

const link = (target: string, path: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  // On Windows, creating a junction needs no special rights.
  symlinkSync(target, path, 'junction')
}

/** Links the packages that are installed in `from` into `to`, except the repository's own. */
const linkInstalled = (from: string, to: string): void => {
  for (const name of readdirSync(from)) {
    if (name === '@wabakit' || name === 'wabakit') continue
    link(join(from, name), join(to, name))
  }
}

/**
 * Copies the files that Git tracks, and new files that it does not ignore, to an empty folder, so that a release
 * neither changes this folder nor contains its ignored files. Installed libraries are linked.
 */
export const copyRepository = (root: string, to: string): void => {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  for (const file of listed.split('\0')) {
    if (file !== '' && existsSync(join(root, file))) cpSync(join(root, file), join(to, file))
  }
  linkInstalled(join(root, 'node_modules'), join(to, 'node_modules'))
  for (const name of readdirSync(join(root, 'packages'))) {
    const nested = join(root, 'packages', name, 'node_modules')
    if (existsSync(nested)) linkInstalled(nested, join(to, 'packages', name, 'node_modules'))
  }
  for (const name of readdirSync(join(to, 'packages'))) {
    const folder = join(to, 'packages', name)
    link(folder, join(to, 'node_modules', readManifest(folder).name))
  }
}
