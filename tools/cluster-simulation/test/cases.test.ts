import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { takeBlocks } from '../../code-blocks.ts'

/** Runs that once broke an invariant. */
const cases = globSync(resolve(import.meta.dirname, '../cases/*.json')).sort()

/** The output of each case's replay. One process replays all cases, because starting it takes longer than most replays. */
let replays: readonly string[]
beforeAll(async () => {
  const script = resolve(import.meta.dirname, '../run.ts')
  // Optimizing the code of PGlite would take longer than what runs it.
  const flags = ['--conditions=@wabakit/source', '--liftoff-only']
  const args = [...flags, script, ...cases.flatMap((path) => ['--replay', path])]
  const { stdout } = await promisify(execFile)(process.execPath, args).catch((error) => error)
  replays = cases.map((path, index) => stdout.split(`${path}\n`)[1]?.split(`${cases[index + 1]}\n`)[0])
}, 600_000)

test.each(cases.map((path, index) => [basename(path, '.json'), index]))(
  '%s no longer breaks an invariant',
  (_, index) => {
    expect(replays[index]).toContain('All invariants hold.')
    expect(replays[index], 'a planned fault no longer occurs').not.toContain('did not occur')
  },
)

test('the reproduction on the page is what its case prints, up to the invariant and but for the times', () => {
  const [block] = takeBlocks(import.meta.filename, 1)
  const [shown = ''] = block?.code.split('Broken:') ?? []
  const index = cases.findIndex((path) => path.endsWith('stop-while-the-store-is-away.json'))
  const toForms = (text = ''): string[] => text.split('\n').map((line) => line.replaceAll(/\d+/g, '1').trim())
  const printed = new Set(['…', ...toForms(replays[index])])
  expect(toForms(shown).filter((line) => !printed.has(line))).toEqual([])
})
