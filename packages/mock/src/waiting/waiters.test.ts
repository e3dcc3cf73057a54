import { expect, test } from 'vitest'
import { createWaiters } from './waiters.ts'

test('a wait that has ended is not checked any more', async () => {
  const waiters = createWaiters()
  let checks = 0
  let found: string | undefined
  const find = (): string | undefined => {
    checks++
    return found
  }
  const waiting = waiters.wait({
    caller: 'test',
    label: '',
    timeoutMs: 60_000,
    find,
    explain: async () => '',
    listReasons: async () => [],
  })
  found = 'event'
  waiters.check()
  expect(await waiting).toBe('event')
  for (let change = 0; change < 20; change++) waiters.check()
  expect(checks).toBe(2)
})
