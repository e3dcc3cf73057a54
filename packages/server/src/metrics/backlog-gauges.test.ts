import { setTimeout } from 'node:timers/promises'
import type { Backlog } from '@wabakit/core'
import { expect, test } from 'vitest'
import { createBacklogReading } from './backlog-gauges.ts'

const backlog: Backlog = {
  waiting: 1,
  due: 2,
  later: 3,
  oldestDueMs: 5,
  failingSubscriptions: 6,
  disabledSubscriptions: 7,
}

test('measures once for concurrent callers, and again only after a while', async () => {
  let asked = 0
  const read = createBacklogReading(async () => {
    asked++
    await setTimeout(10)
    return backlog
  })
  expect(await Promise.all([read(), read(), read()])).toEqual([backlog, backlog, backlog])
  await read()
  expect(asked).toBe(1)
  await expect.poll(async () => (await read()) && asked, { timeout: 3_000 }).toBe(2)
})

test('measures less often the longer it takes', async () => {
  let asked = 0
  const read = createBacklogReading(async () => {
    asked++
    await setTimeout(100)
    return backlog
  })
  await read()
  await setTimeout(1_500)
  await read()
  expect(asked).toBe(1)
})

test('returns nothing while the store cannot be reached, and a reading soon after', async () => {
  let isAway = true
  const read = createBacklogReading(async () => {
    if (isAway) throw new Error('away')
    return backlog
  })
  expect(await read()).toBeUndefined()
  isAway = false
  await expect.poll(read, { timeout: 3_000 }).toEqual(backlog)
})
