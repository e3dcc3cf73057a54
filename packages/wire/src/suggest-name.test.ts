import { expect, test } from 'vitest'
import { suggestName } from './suggest-name.ts'
import { eventNames } from './validate-event.ts'

test.each([
  ['CALL_END', 'CALL_ENDED'],
  ['call_ended', 'CALL_ENDED'],
  ['CallEnded', 'CALL_ENDED'],
  ['GROUP_PARTICIPANT_JOIN', 'GROUP_PARTICIPANT_JOINED'],
  ['CALL_AI_SUMARY', 'CALL_AI_SUMMARY'],
  ['CALL_AI_SUMMARIES', 'CALL_AI_SUMMARY'],
])('%s probably means %s', (input, name) => {
  expect(suggestName(input, eventNames)).toBe(`Did you mean "${name}"?`)
})

test.each([
  ['timeout', ['timeoutMs', 'timeout'], 'timeout'],
  ['timeout', ['timeout', 'timeoutMs'], 'timeout'],
  ['retry', ['retry1', 'retry2'], 'retry1'],
  ['idle', ['id'], 'id'],
])('%s among %j means the nearest, or the first of those', (input, names, name) => {
  expect(suggestName(input, names)).toBe(`Did you mean "${name}"?`)
})

test('lists all names if none is similar', () => {
  expect(suggestName('banana', ['reset', 'html'])).toBe('Known names: reset, html.')
})
