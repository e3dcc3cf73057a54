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
  'unknown customer +49 (0)30 901820',
  'unknown customer ٤٩٣٠٩٠١٨٢٠',
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

test('recognizes personal data in a payload nested 100,000 levels deep', () => {
  const deep = `{"event":"X","a":${'['.repeat(100_000)}"Ann of the long name"${']'.repeat(100_000)}}`
  expect(repeatsPersonalData('unknown: Ann of the long name', deep)).toBe(true)
  expect(repeatsPersonalData('unknown', deep)).toBe(false)
})

test('finds no personal data in a payload that is not JSON', () => {
  expect(repeatsPersonalData('text', 'text')).toBe(false)
})

test.each(['a'.repeat(11).concat('b'), 'b'.concat('a'.repeat(11))])(
  'takes no longer if the text almost repeats the payload everywhere: %s',
  (piece) => {
    const long = JSON.stringify({ event: 'CALL_AI_SUMMARY', summary: { recap: 'a'.repeat(1_000_000) } })
    const startedAt = process.cpuUsage()
    expect(repeatsPersonalData(piece.repeat(17), long)).toBe(false)
    expect(process.cpuUsage(startedAt).user / 1_000).toBeLessThan(1_000)
  },
)

test('recognizes a repeated part wherever it is', () => {
  const recap = Array.from({ length: 500 }, (_, index) => `word${index}`).join(' ')
  const event = JSON.stringify({ event: 'CALL_AI_SUMMARY', summary: { recap } })
  for (const at of [0, 1, 700, recap.length - 12]) {
    expect(repeatsPersonalData(`<${recap.slice(at, at + 12)}>`, event)).toBe(true)
    expect(repeatsPersonalData(`<${recap.slice(at, at + 11)}>`, event)).toBe(false)
  }
})

test('takes no longer if the payload has many strings', () => {
  const keyPoints = Array.from({ length: 20_000 }, (_, index) => `${'ab'.repeat((index % 4) + 1)}c${index}`)
  const number = keyPoints.map((_, index) => `+${300_000_000 + index}`)
  const many = JSON.stringify({ event: 'CALL_AI_SUMMARY', keyPoints, number })
  const startedAt = process.cpuUsage()
  expect(repeatsPersonalData('ab'.repeat(2_048), many)).toBe(false)
  expect(process.cpuUsage(startedAt).user / 1_000).toBeLessThan(2_000)
})
