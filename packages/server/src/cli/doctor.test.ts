import type { Report } from '@wabakit/conformance'
import { expect, test } from 'vitest'
import { getExitCode, type Severity } from './doctor.ts'

type Check = readonly [verdict: Report['checks'][number]['verdict'], severity: Severity]

const report = (verdict: Report['verdict'], ...checks: readonly Check[]): Report => ({
  ...{ tool: 'doctor', target: 'http://127.0.0.1/', verdict, seed: 1 },
  counts: { pass: 0, fail: 0, advice: 0, inconclusive: 0, skipped: 0 },
  checks: checks.map(([each, severity]) => ({
    ...{ id: 'a', group: 'g', title: '', severity, clause: '', verdict: each, expected: '', observed: '' },
    ...{ risk: '', fix: '', reproduce: null, durationMs: 0 },
  })),
})

test('the exit code is 1 if a check fails that is at least as severe as --fail-on', () => {
  const failed = report('fail', ['fail', 'medium'], ['pass', 'critical'])
  expect(getExitCode(failed)).toBe(1)
  expect(getExitCode(failed, 'medium')).toBe(1)
  expect(getExitCode(failed, 'high')).toBe(0)
  expect(getExitCode(report('fail', ['fail', 'critical']), 'high')).toBe(1)
})

test('a severe check without a result is no pass, whatever else failed', () => {
  expect(getExitCode(report('inconclusive', ['pass', 'low']), 'critical')).toBe(4)
  expect(getExitCode(report('fail', ['fail', 'low'], ['inconclusive', 'critical']), 'high')).toBe(4)
  expect(getExitCode(report('fail', ['fail', 'low'], ['inconclusive', 'medium']), 'high')).toBe(0)
})
