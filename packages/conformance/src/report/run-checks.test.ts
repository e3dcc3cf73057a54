import { expect, test } from 'vitest'
import { buildReport, type CheckVerdict } from './report.ts'
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
  const observed = 'the time for all checks was over; raise --timeout'
  expect(results).toMatchObject([{ id: 'hangs', verdict: 'inconclusive', observed }])
  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
})

test('the time of a check is measured on the clock of the run', async () => {
  const check: Check = {
    ...facts,
    id: 'slow machine',
    run: async () => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      return { verdict: 'pass', observed: '' }
    },
  }
  const options = { getTimeoutMs: () => 1, decline: () => undefined, onResult: () => {} }
  expect(await runChecks([check], options)).toMatchObject([{ verdict: 'inconclusive' }])
  // On this clock, no time passes.
  expect(await runChecks([check], { ...options, after: () => () => {} })).toMatchObject([{ verdict: 'pass' }])
})

test('a check that has no time left is not run, and has no result', async () => {
  const ran: string[] = []
  const check: Check = {
    ...facts,
    id: 'late',
    run: async () => {
      ran.push('late')
      return { verdict: 'pass', observed: '' }
    },
  }
  const seen: string[] = []
  const results = await runChecks([check], {
    getTimeoutMs: () => 0,
    decline: () => undefined,
    onResult: ({ id }) => seen.push(id),
  })
  expect(results).toMatchObject([{ verdict: 'inconclusive', observed: expect.stringContaining('--timeout') }])
  expect([ran, seen]).toEqual([[], ['late']])
})

test('a finding replaces what a check expects, and a result without a command says so', async () => {
  const run = async () => ({ verdict: 'fail', observed: '500', expected: '401' }) as const
  const options = { getTimeoutMs: () => 60_000, decline: () => undefined, onResult: () => {} }
  const results = await runChecks([{ ...facts, id: 'fails', expected: '4xx', run }], options)
  expect(results).toMatchObject([{ verdict: 'fail', observed: '500', expected: '401', reproduce: null }])
})

test.each<[string, CheckVerdict[], object]>([
  ['pass', ['pass', 'advice', 'inconclusive', 'skipped'], { isProven: true }],
  ['inconclusive', ['pass', 'advice'], { isProven: false }],
  ['fail', ['fail', 'pass'], { isProven: false }],
])('the verdict is %s for checks with %j of a run with %j', async (verdict, verdicts, run) => {
  const checks = await runChecks(
    verdicts.map((each) => ({ ...facts, id: each, run: async () => ({ verdict: each, observed: '' }) })),
    { getTimeoutMs: () => 60_000, decline: () => undefined, onResult: () => {} },
  )
  const of = { target: '', seed: 1, checks, isProven: false } as const
  expect(buildReport({ ...of, ...run }).verdict).toBe(verdict)
})
