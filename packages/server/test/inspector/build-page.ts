import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { isPageBuilt } from '../../../../tools/packed/packed.ts'

/** Builds the page once, before the tests that open it, unless it is newer than its sources. */
export const setup = async (): Promise<void> => {
  if (isPageBuilt()) return
  const cwd = resolve(import.meta.dirname, '../../../inspector')
  // With the NODE_ENV of tests, the page would contain what only development needs.
  const env = { ...process.env, NODE_ENV: 'production' }
  await promisify(execFile)('npm', ['run', '--silent', 'build'], { cwd, env })
}
