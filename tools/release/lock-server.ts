import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runNpm } from './npm.ts'
import type { Tarball } from './pack.ts'

/**
 * Writes a project that installs the server from these tarballs, with a lockfile, so that the image installs the
 * versions that the tests ran with. It starts with the repository's lockfile, so that npm adds nothing newer.
 */
export const lockServer = async (
  tarballs: readonly Tarball[],
  { root, folder }: { readonly root: string; readonly folder: string },
): Promise<void> => {
  const files = new Map(tarballs.map(({ manifest, filename }) => [manifest.name, filename]))
  const listNeeded = (name: string): string[] => {
    const found = tarballs.find(({ manifest }) => manifest.name === name)
    return found ? [name, ...Object.keys(found.manifest.dependencies ?? {}).flatMap(listNeeded)] : []
  }
  const needed = [...new Set(listNeeded('@wabakit/server'))]
  const project = join(folder, 'server')
  mkdirSync(project, { recursive: true })
  for (const name of needed)
    copyFileSync(join(folder, files.get(name) ?? ''), join(project, files.get(name) ?? ''))
  const dependencies = Object.fromEntries(needed.map((name) => [name, `file:${files.get(name)}`]))
  writeFileSync(
    join(project, 'package.json'),
    `${JSON.stringify({ private: true, dependencies }, null, 2)}\n`,
  )
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const locked = Object.fromEntries(
    Object.entries(packages).filter(
      ([path]) => path.startsWith('node_modules/') && !/node_modules\/(?:@wabakit\/|wabakit$)/.test(path),
    ),
  )
  const lock = { lockfileVersion: 3, requires: true, packages: { '': { dependencies }, ...locked } }
  writeFileSync(join(project, 'package-lock.json'), JSON.stringify(lock))
  await runNpm(['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'], project)
}
