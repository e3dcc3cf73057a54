import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)

/** Runs that once broke an invariant. */
const cases = globSync(resolve(import.meta.dirname, '../cases/*.json')).sort()

test.each(cases.map((path) => [basename(path, '.json'), path]))(
  '%s no longer breaks an invariant',
  async (_, path) => {
    const script = resolve(import.meta.dirname, '../run.ts')
    const { stdout } = await run(process.execPath, ['--conditions=@wabakit/source', script, '--replay', path])
    expect(stdout).toContain('All invariants hold.')
    expect(stdout, 'a planned fault no longer occurs').not.toContain('did not occur')
  },
)
