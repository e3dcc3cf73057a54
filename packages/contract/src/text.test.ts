import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Timestamp, TimestampOrEmpty, UtcTimestamp } from './text.ts'

const accepts = (schema: typeof Timestamp, value: unknown): boolean => schema.safeParse(value).success

const lenient = [
  '2026-01-01T10:00:00.000Z',
  '2026-01-01T10:00:00Z',
  '2026-01-01T10:00:00',
  '2026-01-01T10:00Z',
  '2026-01-01T10:00',
  '2026-01-01T10',
  '2026-01-01T10:00:00+05:30',
  '2026-01-01T10:00:00+0530',
  '2026-01-01T10:00:00-08',
  '2026-01-01T10:00:00.123456789Z',
  '2026-01-01T10:00:00,5Z',
  '2026-12-31T23:59:60Z',
  '2026-01-01T24:00:00Z',
  '20260101T100000Z',
  '2026-W01-4T10:00:00Z',
  '2026-001T10:00:00Z',
]

const invalid = [
  '2026-01-01',
  '10:00:00Z',
  '2026-01-01 10:00:00Z',
  '2026-13-01T10:00:00Z',
  '2026-01-32T10:00:00Z',
  '2026-01-01T25:00:00Z',
  '2026-01-01T24:01:00Z',
  '2026-01-01T10:60:00Z',
  '2026-01-01T10:00:00+24:00',
  '2026-01-01T10:00:00Z\n',
  ' 2026-01-01T10:00:00Z',
  'Thu, 01 Jan 2026 10:00:00 GMT',
  '1767261600',
  'yesterday',
]

test.each(lenient)('parsing accepts the ISO 8601 date-time %s, unchanged', (text) => {
  expect(Timestamp.parse(text)).toBe(text)
  expect(TimestampOrEmpty.parse(text)).toBe(text)
})

test.each(invalid)('%j is not an ISO 8601 date-time', (text) => {
  for (const schema of [Timestamp, TimestampOrEmpty, UtcTimestamp]) expect(accepts(schema, text)).toBe(false)
})

test.each([1767261600, null, true, {}])('a timestamp must be a string, not %o', (value) => {
  for (const schema of [Timestamp, TimestampOrEmpty, UtcTimestamp]) expect(accepts(schema, value)).toBe(false)
})

test('only TimestampOrEmpty accepts an empty string', () => {
  expect(accepts(TimestampOrEmpty, '')).toBe(true)
  expect(accepts(Timestamp, '')).toBe(false)
  expect(accepts(UtcTimestamp, '')).toBe(false)
})

test('UtcTimestamp accepts only UTC with milliseconds', () => {
  for (const text of lenient) expect(accepts(UtcTimestamp, text)).toBe(text === '2026-01-01T10:00:00.000Z')
})

test('the output of toISOString is valid for every four-digit year', () => {
  const dates = fc.date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  fc.assert(
    fc.property(dates, (date) => {
      expect(accepts(UtcTimestamp, date.toISOString())).toBe(true)
      expect(accepts(Timestamp, date.toISOString())).toBe(true)
    }),
  )
})

test('a very long timestamp is rejected quickly', () => {
  const started = process.cpuUsage()
  for (const text of [`2026-01-01T10:00:00.${'1'.repeat(1_000_000)}x`, '2'.repeat(1_000_000)]) {
    expect(accepts(Timestamp, text)).toBe(false)
  }
  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(1_000)
})
