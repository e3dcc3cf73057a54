import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Whether `npm run test:matrix` runs, which tries every combination where CI tries one of each kind. */
export const isMatrix = process.env.WABAKIT_MATRIX === 'true'

/**
 * Returns whether tests can use a program, or something else that not every machine has. Tests are skipped without it, but
 * CI skips nothing that `.ci/run` installs: there, this throws. Go is not installed, because it is too large for one
 * example. Other systems than Linux run without the programs.
 */
export const requireProgram = (name: string, isInstalled: boolean): boolean => {
  if (isInstalled) return true
  if (process.env.CI === 'true' && process.platform === 'linux' && name !== 'go')
    throw new Error(
      `Tests need ${name}, and CI skips no tests. Add it to the programs that .ci/run installs.`,
    )
  console.warn(`SKIPPED: what needs ${name}, which is not installed`)
  return false
}

/** Like {@link requireProgram}, for a program that is installed if a command succeeds. */
export const requireCommand = (name: string, ...args: readonly string[]): boolean =>
  requireProgram(name, spawnSync(name, args, { stdio: 'ignore' }).status === 0)

/** Path of the system's Chromium. The headless shell takes half as long as Chromium. */
export const chromiumPath = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) =>
  existsSync(path),
)

export const requireChromium = (): boolean =>
  requireProgram('chromium-headless-shell', chromiumPath !== undefined)
