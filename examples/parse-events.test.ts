import { expect, test } from 'vitest'
import { fixtures } from 'wabakit/mock'
import { describeBody } from './parse-events.ts'

test('a body is described by its kind', () => {
  const summary = fixtures.event('CALL_AI_SUMMARY', { callId: 'call-1' })
  const bodies = [
    JSON.stringify(summary),
    JSON.stringify(fixtures.event('CALL_MISSED')),
    '{"event":"CALL_ENDED","callId":""}',
    '{"event":"CALL_TRANSFERRED"}',
    '{"type":"ping"}',
    'a=b',
  ]
  expect(bodies.map(describeBody)).toEqual([
    `call-1: ${summary.summary.recap}`,
    'CALL_MISSED',
    'CALL_ENDED has drifted: callId must not be empty',
    'not known: CALL_TRANSFERRED',
    'not known: an event without a name',
    'unreadable: The body is not JSON.',
  ])
})
