import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

/** Peers that bring some hundred packages each: installed apart from the workspaces, and only when asked for. */
const folder = resolve(import.meta.dirname, '../../../node_modules/.cache/wabakit-peers')

/** The folder of a heavy peer; installs it when it is not there. */
export const heavyPeer = (name: string, major: number): string => {
  const place = resolve(folder, name.replaceAll('/', '-'))
  if (!existsSync(resolve(place, 'node_modules', name))) {
    mkdirSync(place, { recursive: true })
    writeFileSync(resolve(place, 'package.json'), '{ "private": true }')
    const { status } = spawnSync('npm', ['install', '--no-audit', '--no-fund', `${name}@${major}`], {
      cwd: place,
      stdio: 'inherit',
    })
    if (status !== 0) throw new Error(`${name} could not be installed`)
  }
  return resolve(place, 'node_modules')
}
