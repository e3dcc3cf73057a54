import { expect, it } from 'vitest'
import { createSetback } from './steady-time.ts'

it('returns how far the clock was set back, in whole seconds, and follows steps forward', () => {
  let [wall, passed] = [1_800_000_000_000, 0]
  const read = createSetback({ wall: () => wall, monotonic: () => passed })
  const step = (ms: number, setBy = 0) => {
    passed += ms
    wall += ms + setBy
    return read()
  }
  expect([step(0), step(5_000), step(1_000, -300)]).toEqual([0, 0, 0])
  expect([step(1_000, -3_600_000), step(60_000)]).toEqual([3_600_000, 3_600_000])
  expect([step(1_000, 3_600_000), step(1_000, 86_400_000), step(1_000)]).toEqual([0, 0, 0])
})

it('is not misled by the real clocks', () => {
  const read = createSetback()
  expect([read(), read()]).toEqual([0, 0])
})
