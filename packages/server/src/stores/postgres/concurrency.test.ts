import {
  type AttemptKey,
  type AttemptVerdict,
  type DeliveryRecord,
  type OwnedShard,
  StorageUnavailableError,
  type Store,
} from '@wabakit/core'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPostgresDatabase } from '../../../test/shared-cluster.ts'
import { isHead } from './functions/lanes.ts'
import { openPostgres, type PostgresDatabase } from './open-postgres.ts'
import { postgresStore } from './postgres-store.ts'

const day = 86_400_000
const processes = 3

let databases: PostgresDatabase[]
let stores: Store[]
let shards: readonly OwnedShard[]

beforeAll(async () => {
  const url = await createPostgresDatabase()
  const opened = Array.from({ length: processes }, () => openPostgres({ url, maxConnections: 4 }))
  databases = await Promise.all(opened)
  stores = databases.map(postgresStore)
  shards = await query<OwnedShard>('SELECT shard, epoch FROM wabakit.shards')
})

afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()))
})

const query = <Row extends Record<string, unknown>>(sql: string): Promise<Row[]> => {
  const [database] = databases
  if (database === undefined) throw new Error('no database is open')
  return database.query<Row>(sql)
}

/** Lanes that have unattempted deliveries and no blocking delivery, but no head. */
const lanesWithoutHead = `SELECT p.lane FROM wabakit.unfinished_deliveries p
  WHERE p.state = 'fresh' GROUP BY p.lane HAVING NOT bool_or(${isHead}) AND NOT EXISTS (
    SELECT FROM wabakit.unfinished_deliveries b WHERE b.lane = p.lane AND b.state <> 'fresh'
  )`

const twoHeads = `SELECT p.lane FROM wabakit.unfinished_deliveries p WHERE ${isHead} GROUP BY p.lane HAVING count(*) > 1`

const pendingAndFinished = `SELECT subscription, event FROM wabakit.unfinished_deliveries JOIN wabakit.deliveries USING (subscription, event)`

/** Attempts that were recorded twice or not at all. */
const miscountedAttempts = `SELECT d.subscription, d.event FROM (
    SELECT subscription, event, attempts, 0 AS own FROM wabakit.unfinished_deliveries
    UNION ALL SELECT subscription, event, attempts, (started_at IS NOT NULL)::integer FROM wabakit.deliveries
  ) AS d WHERE d.attempts <> d.own + (
    SELECT count(*) FROM wabakit.attempts a WHERE a.subscription = d.subscription AND a.event = d.event
  )`

const attempt = {
  startedAt: 0,
  durationMs: 1,
  url: 'https://receiver.example/',
  status: 500,
  error: null,
  responseBody: null,
}

type Step =
  | { readonly kind: 'add'; readonly subject: number; readonly waits: boolean }
  | { readonly kind: 'begin'; readonly limit: number }
  | { readonly kind: 'settle'; readonly count: number; readonly results: readonly AttemptVerdict[] }
  | { readonly kind: 'resend' | 'cancel' | 'retry' | 'toggle' }

const results: fc.Arbitrary<AttemptVerdict> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ kind: 'delivered' as const, attempt }) },
  fc.record({
    kind: fc.constantFrom('exhausted' as const, 'refused' as const),
    attempt: fc.constant(attempt),
  }),
  fc.constant({ kind: 'deferred' as const, attempt, delayMs: 0 }),
  fc.record({
    kind: fc.constant('retry' as const),
    attempt: fc.constant(attempt),
    delayMs: fc.constant(0),
    releasesLane: fc.boolean(),
  }),
)

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('add' as const), subject: fc.nat(5), waits: fc.boolean() }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('begin' as const), limit: fc.integer({ min: 1, max: 5 }) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      count: fc.integer({ min: 1, max: 3 }),
      results: fc.array(results, { minLength: 3, maxLength: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('resend' as const, 'cancel' as const, 'retry' as const) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('toggle' as const) }) },
)

let names = 0
const unique = (prefix: string): string => `${prefix}_${++names}`

type Begun = { readonly key: AttemptKey; readonly delivery: DeliveryRecord }

/** Creates one of several processes that read and settle the same deliveries, as an old and a new owner may. */
const createProcess = (store: Store, organizationId: string) => {
  let begun: Begun[] = []
  const begin = async (limit: number): Promise<number> => {
    const epochs = new Map(shards.map(({ shard, epoch }) => [shard, epoch]))
    const { queues } = await store.readQueues({ shards: [...epochs.keys()], limit: 100 })
    const keys: AttemptKey[] = []
    for (const { state } of queues.filter((each) => each.state.organizationId === organizationId)) {
      const { heads } = await store.readHeads({ queue: state.queue, after: -1, limit: 20 })
      const { retries } = await store.readRetries({ queue: state.queue, limit: 20 })
      const epoch = epochs.get(state.shard) ?? -1
      keys.push(
        ...[...heads, ...retries].map(({ id, version }) => ({ id, version, shard: state.shard, epoch })),
      )
    }
    const chosen = keys.slice(0, limit)
    const loaded = await store.loadDeliveries(chosen)
    for (const [index, key] of chosen.entries()) {
      const delivery = loaded[index]?.delivery
      if (delivery !== undefined) begun.push({ key, delivery })
    }
    return chosen.length
  }
  const settle = async (count: number, each: (index: number) => AttemptVerdict): Promise<void> => {
    const ids = new Set<string>()
    const batch = begun.filter(({ key: { id } }) => ids.size < count && !ids.has(id) && ids.add(id))
    begun = begun.filter((other) => !batch.includes(other))
    const settlements = batch.map(({ key, delivery }, index) => ({
      ...key,
      delivery,
      now: 0,
      result: each(index),
      failingLimitMs: day,
    }))
    // Others may change the same deliveries faster than they can be settled. A dispatcher tries again as well.
    const write = (): Promise<unknown> =>
      store.settleDeliveries(settlements).catch((error: unknown) => {
        if (error instanceof StorageUnavailableError) return write()
        throw error
      })
    await write()
  }
  const toggle = async (): Promise<void> => {
    const found = await store.findSubscription(organizationId, 'sub_2')
    if (found === undefined) return
    const disabledReason = found.disabledReason === null ? 'by_hand' : null
    await store.saveSubscription({ ...found, revision: found.revision + 1, disabledReason })
  }
  const changeFirst = async (kind: 'cancel' | 'retry'): Promise<void> => {
    const { items } = await store.listDeliveries({ organizationId, statuses: ['pending'], limit: 1 })
    const request = { organizationId, deliveryId: items[0]?.id ?? '', now: 0 }
    await (kind === 'cancel' ? store.cancelDelivery(request) : store.retryDelivery(request))
  }
  return {
    begin,
    settle,
    countBegun: () => begun.length,
    run: async (step: Step): Promise<unknown> => {
      switch (step.kind) {
        case 'add':
          return store.addEvent({
            id: unique('evt'),
            organizationId,
            name: step.waits ? 'CALL_AI_SUMMARY' : 'CALL_ENDED',
            subject: `call:${step.subject}`,
            channel: 'PSTN',
            digits: '1',
            payload: '{}',
            waitsFor: step.waits ? 'CALL_ENDED' : null,
            traceparent: null,
            hasCustomPayload: false,
            occurredAt: 0,
          })
        case 'begin':
          return begin(step.limit)
        case 'settle':
          return settle(step.count, (index) => step.results[index] ?? { kind: 'delivered', attempt })
        case 'resend':
          return store.resendDeliveries({ organizationId, now: 0, limit: 20, webhookIdSuffix: null })
        case 'cancel':
        case 'retry':
          return changeFirst(step.kind)
        case 'toggle':
          return toggle()
        default:
          return step satisfies never
      }
    },
  }
}

const openOrganization = async (store: Store): Promise<string> => {
  const id = unique('org')
  const common = { revision: 1, createdAt: 0 }
  await store.saveOrganization({
    id,
    callSummaries: 'automatic',
    integrations: [],
    pstnNumbers: [],
    ...common,
  })
  for (const subscription of ['sub_1', 'sub_2']) {
    await store.saveSubscription({
      id: subscription,
      organizationId: id,
      channel: 'PSTN',
      number: '1',
      digits: '1',
      url: 'https://receiver.example/',
      events: 'all',
      secret: 'whsec_',
      previousSecret: null,
      headers: {},
      maxAttemptsPerSecond: null,
      disabledReason: null,
      failingSince: null,
      isReported: false,
      updatedAt: 0,
      ...common,
    })
  }
  return id
}

/** Repeatedly checks invariants while everything else runs. */
const watch = (...invariants: readonly string[]) => {
  let isOver = false
  const watching = (async () => {
    while (!isOver) for (const sql of invariants) expect(await query(sql)).toEqual([])
  })()
  return () => {
    isOver = true
    return watching
  }
}

test('each delivery is in one place, each attempt is recorded once, and each lane continues, whatever several processes do', async () => {
  const plans = fc.array(fc.array(steps, { minLength: 30, maxLength: 40, size: 'max' }), {
    minLength: 6,
    maxLength: 9,
  })
  const runAll = async (plan: readonly (readonly Step[])[]): Promise<void> => {
    const [first] = stores
    if (first === undefined) throw new Error('no store is open')
    const organizationId = await openOrganization(first)
    const workers = stores.map((store) => createProcess(store, organizationId))
    const stopWatching = watch(lanesWithoutHead, twoHeads, pendingAndFinished, miscountedAttempts)
    await Promise.all(
      plan.map(async (each, index) => {
        for (const step of each) await workers[index % workers.length]?.run(step)
      }),
    )
    await stopWatching()

    const deliver = () => ({ kind: 'delivered' as const, attempt })
    for (const each of workers) while (each.countBegun() > 0) await each.settle(10, deliver)
    const [worker] = workers
    while ((await worker?.begin(100)) || worker?.countBegun()) await worker?.settle(10, deliver)
    expect(await query('SELECT FROM wabakit.unfinished_deliveries')).toEqual([])
    const miscounted = await query(
      `SELECT e.id FROM wabakit.events e LEFT JOIN wabakit.deliveries d ON d.event = e.position
       WHERE e.organization_id = '${organizationId}' AND e.channel <> 'OPERATIONS' GROUP BY e.id HAVING count(d.event) <> 2`,
    )
    expect(miscounted).toEqual([])
    await first.removeOrganization(organizationId)
  }
  await fc.assert(fc.asyncProperty(plans, runAll), { numRuns: 4, endOnFailure: true })
})
