import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { ApiFault, CallSimulation } from '@wabakit/core/simulation'
import { expect, test } from 'vitest'
import { createDeliveryFaultLists } from '../src/faults/delivery-faults.ts'
import { MockOptions } from '../src/mock-options.ts'

const root = resolve(import.meta.dirname, '../../..')
const read = (path: string): string => readFileSync(resolve(root, path), 'utf8')
const readSnippets = (path: string): string[] =>
  [...read(path).matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code ?? '')

const guide = ['testing', 'reference/live-profile', 'reference/faults']
  .map((page) => read(`docs/${page}.md`))
  .join()
const snippets = ['packages/mock/README.md', 'docs/testing.md'].flatMap(readSnippets)
const forVitest = snippets.filter((code) => code.includes("from 'vitest'"))
/** Snippets that run only inside a test runner, or need a database. */
const isUnrunnable = (code: string): boolean => /from '(?:vitest|pg)'/.test(code)

test.each(snippets.filter((code) => !isUnrunnable(code)))(
  'a snippet of the documentation runs: %#',
  async (code) => {
    const options = ['--conditions=@wabakit/source', '--input-type=module-typescript', '--eval', code]
    await expect(promisify(execFile)('node', options, { cwd: root, timeout: 20_000 })).resolves.toBeDefined()
  },
  30_000,
)

test('the guide declares the matchers as the example does', () => {
  const example = read('examples/testing-vitest/mock.ts').replace(/\s+/g, ' ')
  const [declaration] = forVitest.map((code) =>
    code.slice(code.indexOf('declare global')).replace(/\s+/g, ' ').trim(),
  )
  expect(example).toContain(declaration)
})

test('the guide names every option, outcome, field of a call and fault', () => {
  const names = [
    ...Object.keys(MockOptions.shape),
    ...CallSimulation.shape.outcome.def.innerType.options,
    ...Object.keys(CallSimulation.shape),
    ...Object.keys(ApiFault.shape),
    ...Object.keys(createDeliveryFaultLists(Math.random)),
  ]
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(guide))).toEqual([])
})
