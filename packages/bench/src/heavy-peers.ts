import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** Peers that bring some hundred packages each: installed apart from the workspaces, and only when asked for. */
const folder = resolve(import.meta.dirname, '../../../node_modules/.cache/wabakit-peers')

/**
 * The folder of a heavy peer; installs it when it is not there.
 *
 * @param packages - it, and what else it needs; each with its major version, such as `@mockoon/cli@9`.
 */
export const heavyPeer = (...packages: readonly string[]): string => {
  const place = resolve(folder, packages.join('+').replaceAll('/', '-'))
  const modules = resolve(place, 'node_modules')
  if (!existsSync(modules)) {
    mkdirSync(place, { recursive: true })
    writeFileSync(resolve(place, 'package.json'), '{ "private": true }')
    const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', ...packages], {
      cwd: place,
      stdio: 'inherit',
    })
    if (status !== 0) throw new Error(`${packages.join(' and ')} could not be installed`)
  }
  return modules
}
