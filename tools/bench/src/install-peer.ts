import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** The folder of installed peers. Some have hundreds of dependencies, so this package does not depend on them. */
const folder = resolve(import.meta.dirname, '../../../node_modules/.cache/wabakit-peers')

/**
 * Installs packages such as `@mockoon/cli@9` outside the workspaces, unless they are already installed. Returns the
 * path of their `node_modules`.
 */
export const installPeer = (...packages: readonly string[]): string => {
  const peerFolder = resolve(folder, packages.join('+').replaceAll('/', '-'))
  const modules = resolve(peerFolder, 'node_modules')
  if (!existsSync(modules)) {
    mkdirSync(peerFolder, { recursive: true })
    writeFileSync(resolve(peerFolder, 'package.json'), '{ "private": true }')
    const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', ...packages], {
      cwd: peerFolder,
      stdio: 'inherit',
    })
    if (status !== 0) throw new Error(`npm could not install ${packages.join(' and ')}.`)
  }
  return modules
}
