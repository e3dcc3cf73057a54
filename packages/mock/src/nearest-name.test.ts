import { eventNames } from '@wabakit/contract'
import { expect, test } from 'vitest'
import { nearestName, suggestName } from './nearest-name.ts'

test.each([
  ['CALL_END', 'CALL_ENDED'],
  ['call_ended', 'CALL_ENDED'],
  ['CallEnded', 'CALL_ENDED'],
  ['GROUP_PARTICIPANT_JOIN', 'GROUP_PARTICIPANT_JOINED'],
  ['CALL_AI_SUMARY', 'CALL_AI_SUMMARY'],
])('%s probably means %s', (given, name) => {
  expect(nearestName(given, eventNames)).toBe(name)
})

test('names everything when nothing is near', () => {
  expect(suggestName('banana', ['reset', 'html'])).toBe('There is reset, html.')
})
