import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { findDifferences } from './find-differences.ts'
import { printDifferences, printValue } from './print.ts'

const event = {
  event: 'CALL_AI_SUMMARY',
  callId: 'call-1',
  durationInSeconds: 42,
  summary: { recap: 'Asked for a refund.', keyPoints: ['Refund', 'Order 7'], nextSteps: [] },
}

test.each([
  [{}],
  [{ callId: 'call-1' }],
  [{ summary: { recap: /refund/ } }],
  [{ summary: { keyPoints: ['Refund', /^Order/], nextSteps: [] } }],
  [{ callId: expect.stringContaining('call'), durationInSeconds: expect.any(Number) }],
  [{ agentNumber: undefined }],
])('%o matches an event that has it', (part) => {
  expect(findDifferences(part, event)).toEqual([])
})

test('finds each field that differs, with its path', () => {
  const part = { callId: 'call-2', summary: { recap: /cancel/, keyPoints: ['Refund'] }, agentNumber: '+1' }
  const differences = findDifferences(part, event)
  expect(differences.map(({ path }) => path)).toEqual([
    'callId',
    'summary.recap',
    'summary.keyPoints.length',
    'agentNumber',
  ])
  expect(printDifferences(differences)).toMatchInlineSnapshot(`
    "    callId: expected "call-2", got "call-1"
        summary.recap: expected /cancel/, got "Asked for a refund."
        summary.keyPoints.length: expected 1, got 2
        agentNumber: expected "+1", got nothing"
  `)
})

test('an object is not an array, and null is not an object', () => {
  expect(findDifferences({ summary: { keyPoints: { 0: 'Refund' } } }, event)).toHaveLength(1)
  expect(findDifferences({ summary: {} }, { summary: null })).toEqual([
    { path: 'summary', expected: {}, actual: null },
  ])
})

test('prints the name of a matcher, and truncates long values', () => {
  expect(printValue({ a: expect.any(String), b: /x/i })).toBe('{"a":"Any<String>","b":"/x/i"}')
  expect(printValue('x'.repeat(500))).toHaveLength(161)
})

test('matches a regular expression of another realm', () => {
  const expected = runInNewContext('({ callId: /^call-/ })')
  expect(findDifferences(expected, event)).toEqual([])
  expect(printValue(expected)).toBe('{"callId":"/^call-/"}')
})
