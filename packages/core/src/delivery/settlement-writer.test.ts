import { expect, onTestFinished, test, vi } from 'vitest'
import { buildEvent } from '../../test/store-cases/records.ts'
import { StorageUnavailableError } from '../errors/storage-errors.ts'
import { newProgress } from '../storage/progress.ts'
import type { Settlement, SettlementOutcome } from '../store.ts'
import { createSettlementWriter } from './settlement-writer.ts'

const { id: eventId } = buildEvent()

const clock = { now: () => Date.now() }

const attempt = { startedAt: 0, durationMs: 1, url: '', status: 500, error: null, responseBody: null }

const buildSettlement = (id: string, kind: 'delivered' | 'exhausted'): Settlement => ({
  id,
  shard: 0,
  epoch: 0,
  version: 0,
  now: 0,
  failingLimitMs: 1,
  delivery: {
    id,
    eventId,
    organizationId: 'acme',
    subscriptionId: 'sub_1',
    eventName: 'A',
    subject: 's',
    webhookId: eventId,
    status: 'pending',
    dueAt: 0,
    createdAt: 0,
    finishedAt: null,
    ...newProgress,
  },
  result: { kind, attempt },
})

/** A writer, and the batches that it has written. */
const createWriter = (mayDelayFailures: boolean) => {
  const batches: string[][] = []
  const settleDeliveries = async (settlements: readonly Settlement[]): Promise<SettlementOutcome[]> => {
    batches.push(settlements.map(({ id }) => id))
    return settlements.map(() => ({ outcome: 'stale' }))
  }
  const writer = createSettlementWriter(
    { settleDeliveries },
    { clock, retryForMs: 1_000, mayDelayFailures: () => mayDelayFailures },
  )
  return {
    batches,
    write: (id: string, kind: 'delivered' | 'exhausted') => writer.write(buildSettlement(id, kind), false),
  }
}

test('a failure waits for a success, and shares its batch', async () => {
  const { batches, write } = createWriter(true)
  const failure = write('failure', 'exhausted')
  await Promise.resolve()
  await write('success', 'delivered')
  await failure
  expect(batches).toEqual([['failure', 'success']])
})

test('failures without a success share a batch after a short time', async () => {
  const { batches, write } = createWriter(true)
  await Promise.all([write('first', 'exhausted'), write('second', 'exhausted')])
  await write('third', 'exhausted')
  expect(batches).toEqual([['first', 'second'], ['third']])
})

test('a failure that ends while a batch is written does not get its own batch', async () => {
  const { batches, write } = createWriter(true)
  const success = write('success', 'delivered')
  await Promise.resolve()
  await Promise.resolve()
  const failure = write('failure', 'exhausted')
  await success
  await write('next', 'delivered')
  await failure
  expect(batches).toEqual([['success'], ['failure', 'next']])
})

test('a failure that ends while a batch is written is written a little later', async () => {
  const { batches, write } = createWriter(true)
  const success = write('success', 'delivered')
  await Promise.resolve()
  await Promise.resolve()
  await Promise.all([success, write('failure', 'exhausted')])
  expect(batches).toEqual([['success'], ['failure']])
})

test('a failure does not wait during runDue', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { batches, write } = createWriter(false)
  await write('failure', 'exhausted')
  expect([batches, vi.getTimerCount()]).toEqual([[['failure']], 0])
})

/** A writer whose store fails as often as given, and the number of its calls. */
const createFailing = (error: Error, failures: number, retryForMs = 60_000) => {
  const calls = { count: 0 }
  const settleDeliveries = async (settlements: readonly Settlement[]): Promise<SettlementOutcome[]> => {
    calls.count++
    if (calls.count <= failures) throw error
    return settlements.map(() => ({ outcome: 'stale' }))
  }
  const writer = createSettlementWriter(
    { settleDeliveries },
    { clock, retryForMs, mayDelayFailures: () => false },
  )
  return { calls, writer, write: () => writer.write(buildSettlement('a', 'delivered'), false) }
}

test('a write to an unavailable store is repeated for a limited time', async () => {
  const error = new StorageUnavailableError('away', { retryAfterMs: 10 })
  const passing = createFailing(error, 2)
  await expect(passing.write()).resolves.toEqual({ outcome: 'stale' })
  const { calls, write } = createFailing(error, Infinity, 100)
  await expect(write()).rejects.toBe(error)
  expect(calls.count).toBeGreaterThan(1)
})

test('a write that fails for another reason, or in a writer that no longer retries, is not repeated', async () => {
  const bug = createFailing(new Error('bug'), Infinity)
  await expect(bug.write()).rejects.toThrow('bug')
  const stopped = createFailing(new StorageUnavailableError('away', { retryAfterMs: 10 }), Infinity)
  stopped.writer.setRetrying(false)
  await expect(stopped.write()).rejects.toThrow('away')
  expect([bug.calls.count, stopped.calls.count]).toEqual([1, 1])
})

test('if the store refuses a batch, each result is written alone', async () => {
  const batches: string[][] = []
  const settleDeliveries = async (settlements: readonly Settlement[]): Promise<SettlementOutcome[]> => {
    batches.push(settlements.map(({ id }) => id))
    if (settlements.some(({ id }) => id === 'refused')) throw new Error('refused')
    return settlements.map(() => ({ outcome: 'stale' }))
  }
  const writer = createSettlementWriter(
    { settleDeliveries },
    { clock, retryForMs: 1_000, mayDelayFailures: () => false },
  )
  const results = await Promise.allSettled(
    ['a', 'refused', 'b'].map((id) => writer.write(buildSettlement(id, 'delivered'), false)),
  )
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(batches).toEqual([['a', 'refused', 'b'], ['a'], ['refused'], ['b']])
})

test('a result that is written again alone shares no batch, and fails with others if the store is unavailable', async () => {
  const batches: string[][] = []
  let isAway = true
  const settleDeliveries = async (settlements: readonly Settlement[]): Promise<SettlementOutcome[]> => {
    batches.push(settlements.map(({ id }) => id))
    if (isAway) throw new StorageUnavailableError('away')
    return settlements.map(() => ({ outcome: 'stale' }))
  }
  const writer = createSettlementWriter(
    { settleDeliveries },
    { clock, retryForMs: 1_000, mayDelayFailures: () => false },
  )
  const write = () =>
    Promise.allSettled(['a', 'b'].map((id) => writer.write(buildSettlement(id, 'delivered'), true)))
  expect((await write()).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(batches.splice(0)).toEqual([['a']])
  isAway = false
  expect((await write()).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
  expect(batches).toEqual([['a'], ['b']])
})

test('two results of one delivery are written in two batches, and nothing is written without a result', async () => {
  const { batches, write } = createWriter(true)
  await Promise.all([write('same', 'delivered'), write('same', 'delivered')])
  await new Promise((resolve) => setTimeout(resolve, 70))
  expect(batches).toEqual([['same'], ['same']])
})

test('a batch has at most 128 results, and isWriting tells whether one is being written', async () => {
  const sizes: number[] = []
  const writer = createSettlementWriter(
    {
      settleDeliveries: async (settlements) => {
        sizes.push(settlements.length)
        expect(writer.isWriting()).toBe(true)
        return settlements.map(() => ({ outcome: 'stale' }))
      },
    },
    { clock, retryForMs: 1_000, mayDelayFailures: () => true },
  )
  expect(writer.isWriting()).toBe(false)
  const written = Array.from({ length: 300 }, (_, index) =>
    writer.write(buildSettlement(`${index}`, 'delivered'), false),
  )
  expect(writer.isWriting()).toBe(true)
  await Promise.all(written)
  expect(sizes).toEqual([128, 128, 44])
  await Promise.resolve()
  await Promise.resolve()
  expect(writer.isWriting()).toBe(false)
})
