import { expect, test } from 'vitest'
import { buildCall, buildSummary, start } from '../../test/store-cases/records.ts'
import { buildSummaryPayload } from './call-events.ts'

const ended = buildCall({ state: 'ended', startedAt: start, endedAt: start + 42_000, durationInSeconds: 42 })

test('a summary has the times of its call', () => {
  expect(buildSummaryPayload(ended, buildSummary())).toMatchObject({
    durationInSeconds: 42,
    callStartedAt: '2026-01-01T00:00:00.000Z',
    callEndedAt: '2026-01-01T00:00:42.000Z',
  })
})

test.each(['startedAt', 'endedAt', 'durationInSeconds'])(
  'a summary of a call without %s is an error',
  (field) => {
    expect(() => buildSummaryPayload({ ...ended, [field]: null }, buildSummary())).toThrow(
      'Call c1 has a summary but no start, end or duration.',
    )
  },
)
