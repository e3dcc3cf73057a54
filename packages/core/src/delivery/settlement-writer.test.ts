import { expect, test } from 'vitest'
import { buildEvent } from '../../test/store-cases/records.ts'
import type { Settlement, SettlementOutcome } from '../store.ts'
import { createSettlementWriter } from './settlement-writer.ts'

const { id: eventId } = buildEvent()

const attempt = { startedAt: 0, durationMs: 1, url: '', status: 500, error: null, responseBody: null }

const buildSettlement = (id: string, kind: 'delivered' | 'exhausted'): Settlement => ({
  ...{ id, shard: 0, epoch: 0, turn: 0, now: 0, failingLimitMs: 1 },
  delivery: {
    ...{ id, eventId, organizationId: 'acme', subscriptionId: 'sub_1', eventName: 'A', subject: 's' },
    ...{ webhookId: eventId, status: 'pending', dueAt: 0, createdAt: 0, finishedAt: null },
    ...{ attempts: 0, failures: 0, deferrals: 0, deferredMs: 0 },
  },
  result: { kind, attempt },
})

/** A writer, and the batches that it has written. */
const createWriter = (isPatient: boolean) => {
  const batches: string[][] = []
  const settleDeliveries = async (settlements: readonly Settlement[]): Promise<SettlementOutcome[]> => {
    batches.push(settlements.map(({ id }) => id))
    return settlements.map(() => ({ outcome: 'stale' }))
  }
  const writer = createSettlementWriter(
    { settleDeliveries },
    { patienceMs: 1_000, isPatient: () => isPatient },
  )
  return {
    batches,
    write: (id: string, kind: 'delivered' | 'exhausted') => writer.write(buildSettlement(id, kind)),
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
  const { batches, write } = createWriter(false)
  const before = performance.now()
  await write('failure', 'exhausted')
  expect(batches).toEqual([['failure']])
  expect(performance.now() - before).toBeLessThan(50)
})
