import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '@wabakit/core'
import { sqliteStore } from '@wabakit/server'
import { openPostgres, type PostgresDatabase, postgresStore } from '@wabakit/server/postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  buildEvent,
  buildGroup,
  buildOrganization,
  buildSubscription,
} from '../../../packages/core/test/store-cases/index.ts'
import { createPostgresDatabase } from '../../../packages/server/test/shared-cluster.ts'
import {
  type Call,
  type CreateOutput,
  createModel,
  isLinearizable,
  type Model,
} from '../src/linearizability.ts'

type CreateCall = Call<{ readonly requestHash: string }, CreateOutput>

const buildCall = (from: number, to: number, requestHash: string, output?: CreateOutput): CreateCall => ({
  input: { requestHash },
  from,
  to,
  output,
})

test('accepts overlapping calls if any order explains them, and calls whose outcome is unknown', () => {
  expect(
    isLinearizable([buildCall(1, 9, 'a', 'conflict'), buildCall(2, 3, 'b', 'created')], createModel),
  ).toBe(true)
  expect(isLinearizable([buildCall(1, Infinity, 'a'), buildCall(2, 3, 'a', 'same')], createModel)).toBe(true)
  expect(isLinearizable([buildCall(1, Infinity, 'a'), buildCall(2, 3, 'b', 'created')], createModel)).toBe(
    true,
  )
})

test('rejects outcomes that no order explains', () => {
  expect(
    isLinearizable([buildCall(1, 2, 'a', 'created'), buildCall(1, 2, 'a', 'created')], createModel),
  ).toBe(false)
  expect(
    isLinearizable([buildCall(1, 2, 'a', 'conflict'), buildCall(3, 4, 'b', 'created')], createModel),
  ).toBe(false)
})

const databases: PostgresDatabase[] = []
const folder = mkdtempSync(join(tmpdir(), 'wabakit-linearizability-'))
let stores: Record<'sqlite' | 'postgres', readonly Store[]>

beforeAll(async () => {
  const url = await createPostgresDatabase()
  for (let count = 0; count < 3; count++) databases.push(await openPostgres({ url }))
  const sqlite = sqliteStore({ path: join(folder, 'wabakit.db') })
  stores = { sqlite: [sqlite, sqlite, sqlite], postgres: databases.map(postgresStore) }
})
afterAll(async () => {
  await stores.sqlite[0]?.close()
  for (const database of databases) await database.close()
  rmSync(folder, { recursive: true })
})

/** Performs a call, and records its start and end. */
const record = async <Input, Output>(
  into: Call<Input, Output>[],
  input: Input,
  work: () => Promise<Output>,
): Promise<void> => {
  const call: Call<Input, Output> = { input, from: performance.now(), to: Infinity, output: undefined }
  into.push(call)
  call.output = await work()
  call.to = performance.now()
}

test.each(['sqlite', 'postgres'] as const)('concurrent creates on %s are linearizable', async (engine) => {
  const organizationId = `org_${engine}`
  await stores[engine][0]?.saveOrganization(buildOrganization({ id: organizationId }))
  for (let round = 0; round < 15; round++) {
    const id = `g${round}`
    const calls: CreateCall[] = []
    const creates = ['a', 'b', 'a', 'b', 'a', 'a'].map((letter, index) => {
      const requestHash = letter.repeat(64)
      const group = buildGroup({ organizationId, clientCustomGroupId: id, requestHash })
      const event = buildEvent({ id: randomUUID(), organizationId, subject: `group:${id}` })
      return record(calls, { requestHash }, async () => {
        const store = stores[engine][index % 3]
        return (await store?.createGroup({ group, event }))?.outcome ?? 'conflict'
      })
    })
    await Promise.all(creates)
    expect(calls.filter(({ output }) => output === 'created')).toHaveLength(1)
    expect(isLinearizable(calls, createModel)).toBe(true)
  }
})

type OwnerState = { readonly epoch: number; readonly isDone: boolean }
type OwnerInput = { readonly kind: 'take' } | { readonly kind: 'settle'; readonly epoch: number }
type OwnerOutput = number | 'settled' | 'stale'
type OwnerCall = Call<OwnerInput, OwnerOutput>

/**
 * Applies a call to a shard and one of its deliveries. Workers take the shard, which outputs the new epoch. The last
 * owner settles the delivery once.
 */
const applyOwnerCall: Model<OwnerState, OwnerInput, OwnerOutput>['apply'] = (
  { epoch, isDone },
  input,
  output,
) => {
  if (input.kind === 'take') return output === epoch + 1 ? { epoch: output, isDone } : undefined
  const expected = input.epoch === epoch && !isDone ? 'settled' : 'stale'
  if (output !== undefined && output !== expected) return undefined
  return { epoch, isDone: isDone || expected === 'settled' }
}

test.each(['sqlite', 'postgres'] as const)(
  'concurrent takes and settlements on %s are linearizable',
  async (engine) => {
    const organizationId = `owners_${engine}`
    const [first] = stores[engine]
    await first?.saveOrganization(buildOrganization({ id: organizationId }))
    await first?.saveSubscription(buildSubscription({ organizationId }))
    const now = Date.now()
    for (let count = 0; count < 30; count++) {
      await first?.addEvent(
        buildEvent({ id: randomUUID(), organizationId, subject: `group:${count}`, occurredAt: now }),
      )
    }
    const takes: OwnerCall[] = []
    const settlements = new Map<string, OwnerCall[]>()
    const attempt = { startedAt: now, durationMs: 1, url: '', status: 200, error: null, responseBody: '' }
    const result = { kind: 'delivered', attempt } as const

    const work = async (store: Store, worker: string): Promise<void> => {
      for (let turn = 0; turn < 10; turn++) {
        const { shards } = await store.renewWorker({ worker, leaseMs: 60_000, now })
        const all = await store.readQueues({ shards: shards.map(({ shard }) => shard), limit: 100 })
        const state = all.queues.find((each) => each.state.organizationId === organizationId)?.state
        const free = shards.filter(({ shard }) => shard === state?.shard)
        const take: OwnerCall = { input: { kind: 'take' }, from: performance.now(), to: 0, output: undefined }
        const [owned] = await store.takeShards({ worker, shards: free, now })
        take.to = performance.now()
        if (owned === undefined || state === undefined) continue
        takes.push({ ...take, output: owned.epoch })
        const { heads } = await store.readHeads({ queue: state.queue, after: 0, limit: 4 })
        const keys = heads.map(({ id, version }) => ({ ...owned, id, version }))
        const loaded = await store.loadDeliveries(keys)
        const batch = keys.flatMap((key, index) => {
          const delivery = loaded[index]?.delivery
          return delivery === undefined ? [] : [{ ...key, delivery, now, result, failingLimitMs: 1_000 }]
        })
        const settle = async (): Promise<void> => {
          const from = performance.now()
          const outcomes = await store.settleDeliveries(batch)
          const to = performance.now()
          for (const [index, { id }] of batch.entries()) {
            const input = { kind: 'settle', epoch: owned.epoch } as const
            const call: OwnerCall = { input, from, to, output: outcomes[index]?.outcome }
            settlements.set(id, [...(settlements.get(id) ?? []), call])
          }
        }
        // The worker gives up the shard while it settles, and settles again as if a response had been lost.
        await Promise.all([settle().then(settle), store.giveShards({ worker, shards: [owned], now })])
      }
    }
    await Promise.all(stores[engine].map((store, index) => work(store, `worker ${index}`)))
    expect(takes.length).toBeGreaterThan(3)
    const starting = Math.min(...takes.map(({ output }) => Number(output))) - 1
    const initial = { epoch: starting, isDone: false }
    for (const calls of settlements.values())
      expect(isLinearizable([...takes, ...calls], { initial, apply: applyOwnerCall })).toBe(true)
    expect([...settlements.values()].flat().some(({ output }) => output === 'settled')).toBe(true)
  },
)
