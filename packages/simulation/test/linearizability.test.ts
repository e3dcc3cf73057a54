import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '@wabakit/core'
import { buildEvent, buildGroup, buildOrganization, buildSubscription } from '@wabakit/core/testing'
import { sqliteStore } from '@wabakit/server'
import { openPostgres, type PostgresDatabase, postgresStore } from '@wabakit/server/postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCluster, type PostgresCluster } from '../../server/test/postgres-cluster.ts'
import {
  type Call,
  type ClaimInput,
  type CreateOutput,
  claimModel,
  createModel,
  isLinearizable,
} from '../src/linearizability.ts'

type CreateCall = Call<{ readonly requestHash: string }, CreateOutput>

const buildCall = (from: number, to: number, requestHash: string, output?: CreateOutput): CreateCall => ({
  input: { requestHash },
  from,
  to,
  output,
})

test('accepts calls that overlap in any order that explains them, and those whose outcome is unknown', () => {
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

let cluster: PostgresCluster
const databases: PostgresDatabase[] = []
const folder = mkdtempSync(join(tmpdir(), 'wabakit-linearizability-'))
let stores: Record<'sqlite' | 'postgres', readonly Store[]>

beforeAll(async () => {
  cluster = await createCluster()
  const url = await cluster.createDatabase()
  for (let count = 0; count < 3; count++) databases.push(await openPostgres({ url }))
  const sqlite = sqliteStore({ path: join(folder, 'wabakit.db') })
  stores = { sqlite: [sqlite, sqlite, sqlite], postgres: databases.map(postgresStore) }
})
afterAll(async () => {
  await stores.sqlite[0]?.close()
  for (const database of databases) await database.close()
  await cluster.remove()
  rmSync(folder, { recursive: true })
})

/** Performs a call, and notes when it began and ended. */
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

test.each(['sqlite', 'postgres'] as const)(
  'concurrent claims and settlements on %s are linearizable',
  async (engine) => {
    const organizationId = `claims_${engine}`
    const [first] = stores[engine]
    await first?.saveOrganization(buildOrganization({ id: organizationId }))
    await first?.saveSubscription(buildSubscription({ organizationId }))
    const now = Date.now()
    for (let count = 0; count < 30; count++) {
      await first?.addEvent(
        buildEvent({ id: randomUUID(), organizationId, subject: `group:${count}`, occurredAt: now }),
      )
    }
    const histories = new Map<string, Call<ClaimInput, 'claimed' | 'settled' | 'stale'>[]>()
    const getHistory = (deliveryId: string) => {
      const history = histories.get(deliveryId) ?? []
      histories.set(deliveryId, history)
      return history
    }
    const work = async (store: Store, name: string): Promise<void> => {
      for (let turn = 0; turn < 6; turn++) {
        const claimId = `${name}_${turn}`
        const from = performance.now()
        const request = { claimId, now: now + 1, leaseMs: 60_000, limit: 4, perSubscription: 100 }
        const claimed = await store.claimDeliveries(request)
        const to = performance.now()
        const settlements = claimed.flatMap(({ delivery: { id } }) => {
          const history = getHistory(id)
          history.push({ input: { kind: 'claim', claimId }, from, to, output: 'claimed' })
          const attempt = {
            startedAt: now,
            durationMs: 1,
            url: '',
            status: 200,
            error: null,
            responseBody: '',
          }
          const settle = () =>
            record(history, { kind: 'settle', claimId }, async () => {
              const result = { kind: 'delivered', attempt } as const
              const own = { deliveryId: id, claimId, now: now + 2, result, failingLimitMs: 1_000 }
              return (await store.settleDelivery(own)).outcome
            })
          // A result whose response was lost is written again.
          return [settle(), settle()]
        })
        await Promise.all(settlements)
      }
    }
    await Promise.all(
      stores[engine].flatMap((store, index) => [work(store, `a${index}`), work(store, `b${index}`)]),
    )
    expect(histories.size).toBe(30)
    for (const history of histories.values()) expect(isLinearizable(history, claimModel)).toBe(true)
  },
)
