import { expect, test } from 'vitest'
import { repeatsPersonalData } from './personal-data.ts'

const payload = JSON.stringify({
  event: 'CALL_AI_SUMMARY',
  callId: 'call_1',
  callStatus: 'END',
  customerNumber: '+49 30 901820',
  customerName: 'Ann',
  summary: { recap: 'They said "no"\nto the offer of today.', keyPoints: ['Price of 100'], nextSteps: [] },
})

test.each([
  payload,
  payload.slice(0, 250),
  'unknown customer 4930901820',
  'unknown customer +4930-901820',
  'Ann is not a customer',
  'invalid value: "no"\\nto the offer',
  'too expensive: price of 100, Price of 100',
])('recognizes personal data in %j', (text) => {
  expect(repeatsPersonalData(text, payload)).toBe(true)
})

test.each(['invalid signature', 'unknown call call_1', 'unknown event CALL_AI_SUMMARY', 'END', '1820', ''])(
  'recognizes none in %j',
  (text) => {
    expect(repeatsPersonalData(text, payload)).toBe(false)
  },
)

test('finds no personal data in a payload that is not JSON', () => {
  expect(repeatsPersonalData('text', 'text')).toBe(false)
})
