import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ApiFault, CallSimulation } from '@wabakit/core/simulation'
import { expect, test } from 'vitest'
import { takeBlocks } from '../../../tools/code-blocks.ts'
import { createDeliveryFaultLists } from '../src/faults/delivery-faults.ts'
import { MockOptions } from '../src/mock-options.ts'

const root = resolve(import.meta.dirname, '../../..')
const read = (path: string): string => readFileSync(resolve(root, path), 'utf8')

const guide = ['testing', 'reference/mock', 'reference/live-profile', 'reference/faults']
  .map((page) => read(`docs/${page}.md`))
  .join()

test('the guide adds and declares the matchers as the example does', () => {
  const example = read('examples/testing-vitest/mock.ts').replace(/\s+/g, ' ')
  const [block] = takeBlocks(import.meta.filename, 1)
  const [, code = 'a snippet'] = block?.code.split('\n\n') ?? []
  expect(example).toContain(code.replace(/\s+/g, ' ').trim())
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
