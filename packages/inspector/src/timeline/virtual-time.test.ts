import { expect, test } from 'vitest'
import { findVirtualTime } from './virtual-time.ts'

const change = (at: string) => ({ kind: 'change', at }) as const
const event = (at: string) => ({ kind: 'event', at }) as const

test('the time from the claimed start of a simulated call to its events is virtual', () => {
  const entries = [change('2026-01-01T12:00:00.000Z'), event('2026-01-01T12:05:00.000Z')]
  const from = Date.parse('2026-01-01T12:00:00Z')
  expect(findVirtualTime(entries)).toEqual({ from, to: from + 300_000 })
})

test('the milliseconds between a state and its event are not virtual', () => {
  expect(
    findVirtualTime([change('2026-01-01T12:00:00.000Z'), event('2026-01-01T12:00:00.250Z')]),
  ).toBeUndefined()
  expect(findVirtualTime([change('2026-01-01T12:00:00.000Z')])).toBeUndefined()
})
