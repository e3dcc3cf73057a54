import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'

/** Builds the page once, before the tests that open it. */
export const setup = async (): Promise<void> => {
  const cwd = resolve(import.meta.dirname, '../../../inspector')
  // With the NODE_ENV of tests, the page would contain what only development needs.
  const env = { ...process.env, NODE_ENV: 'production' }
  await promisify(execFile)('vite', ['build', '--logLevel', 'error'], { cwd, env })
}
