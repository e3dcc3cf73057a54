import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createErrorLog } from './error-log.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const open = () => {
  const lines: object[] = []
  return { lines, ...createErrorLog({ error: (line: object) => void lines.push(line) }) }
}
const lost = new Error('the database is away')

test('logs an error immediately, and the number of its repetitions once a minute', () => {
  const { lines, write } = open()
  write(lost)
  for (let second = 1; second < 180; second++) {
    vi.advanceTimersByTime(1_000)
    write(new Error('a wrapper', { cause: lost }))
  }

  expect(lines).toEqual([
    { err: lost },
    { cause: 'Error: the database is away', count: 59 },
    { cause: 'Error: the database is away', count: 60 },
  ])
})

test('logs an error in full again if it did not occur for a minute', () => {
  const { lines, write } = open()
  write(lost)
  vi.advanceTimersByTime(60_000)
  write(lost)

  expect(lines).toEqual([{ err: lost }, { err: lost }])
})

test('logs different errors separately', () => {
  const { lines, write } = open()
  write(lost)
  write(new TypeError('a fault'))

  expect(lines).toHaveLength(2)
})

test('logs the number of repetitions when it is closed', () => {
  const { lines, write, close } = open()
  write(lost)
  write(lost)
  close()
  vi.advanceTimersByTime(120_000)

  expect(lines).toEqual([{ err: lost }, { cause: 'Error: the database is away', count: 1 }])
})
