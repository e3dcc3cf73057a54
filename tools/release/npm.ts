import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Runs the npm that started this script. Windows cannot start `npm` itself without a shell. */
export const runNpm = async (args: readonly string[], cwd: string): Promise<string> => {
  const cli = process.env.npm_execpath
  if (cli === undefined) throw new Error('Start this script with npm: npm run release')
  const { stdout } = await run(process.execPath, [cli, ...args], { cwd, maxBuffer: 64 * 1024 * 1024 })
  return stdout
}

/** Runs an npm command with `--json`, and returns its output, even if it fails. */
export const readNpm = async (args: readonly string[], cwd: string): Promise<unknown> => {
  const printed = await runNpm([...args, '--json'], cwd).catch((error: { stdout?: string }) => {
    if (!error.stdout) throw error
    return error.stdout
  })
  return JSON.parse(printed)
}
