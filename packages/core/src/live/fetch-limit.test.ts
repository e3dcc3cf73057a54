import { expect, test } from 'vitest'
import { createFetchLimit } from './fetch-limit.ts'

const hour = 3_600_000

test.each([-hour, -90_000, hour])('allows 30 fetches of a call again after a clock step by %i ms', (step) => {
  let now = hour * 400_000
  const limit = createFetchLimit(() => now)
  const fetchTimes = (count: number) => Array.from({ length: count }, () => limit('c1'))
  expect(fetchTimes(31)).toEqual([...Array(30).fill(undefined), 60])
  now += step
  expect(fetchTimes(31)).toEqual([...Array(30).fill(undefined), 60])
  now += 59_999
  expect(fetchTimes(1)).toEqual([1])
  now += 1
  expect(fetchTimes(1)).toEqual([undefined])
})
