import { expect, test } from 'vitest'
import { type Check, runChecks } from './run-checks.ts'

const facts = { group: 'g', title: '', severity: 'low', clause: '', expected: '', risk: '', fix: '' } as const

test('a check whose time is up is inconclusive, and is told to stop what it still does', async () => {
  const signals: AbortSignal[] = []
  const check: Check = {
    ...facts,
    id: 'hangs',
    run: (signal) => {
      signals.push(signal)
      return new Promise(() => {})
    },
  }
  const results = await runChecks([check], {
    getTimeoutMs: () => 1,
    decline: () => undefined,
    onResult: () => {},
  })
  expect(results).toMatchObject([{ id: 'hangs', verdict: 'inconclusive' }])
  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
})
