import type { ClaimedDelivery, SettlementResult, Store } from '@wabakit/core'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCluster, type PostgresCluster } from '../../../test/postgres-cluster.ts'
import { openPostgres, type PostgresDatabase } from './open-postgres.ts'
import { postgresStore } from './postgres-store.ts'

const day = 86_400_000
const perSubscription = 2
const processes = 3

let cluster: PostgresCluster
let databases: PostgresDatabase[]
let stores: Store[]

beforeAll(async () => {
  cluster = await createCluster()
  const url = await cluster.createDatabase()
  const opened = Array.from({ length: processes }, () => openPostgres({ url, maxConnections: 4 }))
  databases = await Promise.all(opened)
  stores = databases.map(postgresStore)
})

afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()))
  await cluster.remove()
})

const query = <Row extends Record<string, unknown>>(sql: string): Promise<Row[]> => {
  const [database] = databases
  if (database === undefined) throw new Error('no database is open')
  return database.query<Row>(sql)
}

/** Lanes in which somebody waits although nothing holds him. */
const lanesWithoutHead = `SELECT first.subscription, first.subject FROM (
    SELECT DISTINCT ON (d.subscription, d.subject) d.*, e.waits_for
    FROM wabakit.deliveries d JOIN wabakit.events e ON e.position = d.event
    WHERE d.status = 'waiting' ORDER BY d.subscription, d.subject, d.event
  ) AS first
  WHERE NOT EXISTS (
    SELECT FROM wabakit.deliveries o
    WHERE o.subscription = first.subscription AND o.subject = first.subject
      AND (
        o.holds_lane
        OR o.finished_at IS NULL AND o.event_name = first.waits_for AND o.event < first.event
      )
  )`

/** Holders of a lane that went past somebody who still waits. */
const overtaken = `SELECT later.position FROM wabakit.deliveries later JOIN wabakit.deliveries earlier
    ON earlier.subscription = later.subscription AND earlier.subject = later.subject AND earlier.event < later.event
  WHERE later.holds_lane AND earlier.status = 'waiting'`

const tooManyLeases = `SELECT subscription FROM wabakit.deliveries
  WHERE status = 'claimed' AND due_at > wabakit.clock_ms()
  GROUP BY subscription HAVING count(*) > ${perSubscription}`

/** Deliveries that are due before a claim would find them. */
const foundTooLate = `SELECT d.position FROM wabakit.deliveries d WHERE d.due_at IS NOT NULL AND NOT EXISTS (
    SELECT FROM wabakit.due_times t WHERE t.subscription = d.subscription AND t.due_at <= d.due_at
  )`

const twoHolders = `SELECT subscription, subject FROM wabakit.deliveries WHERE holds_lane
  GROUP BY subscription, subject HAVING count(*) > 1`

const attempt = () => ({
  startedAt: Date.now(),
  durationMs: 1,
  url: 'https://receiver.example/',
  status: 500,
  error: null,
  responseBody: null,
})

type Step =
  | { readonly kind: 'add'; readonly subject: number; readonly waits: boolean }
  | { readonly kind: 'claim'; readonly limit: number; readonly leaseMs: number }
  | { readonly kind: 'settle'; readonly result: SettlementResult['kind']; readonly releasesLane: boolean }
  | { readonly kind: 'resend' | 'toggle' }

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('add' as const), subject: fc.nat(5), waits: fc.boolean() }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('claim' as const),
      limit: fc.integer({ min: 1, max: 5 }),
      leaseMs: fc.constantFrom(1, 10_000),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      result: fc.constantFrom('delivered', 'delivered', 'retry', 'deferred', 'exhausted', 'released'),
      releasesLane: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('resend' as const, 'toggle' as const) }) },
)

let names = 0
const unique = (prefix: string): string => `${prefix}_${++names}`

const toResult = (kind: SettlementResult['kind'], releasesLane: boolean): SettlementResult => {
  if (kind === 'released') return { kind }
  if (kind === 'deferred') return { kind, attempt: attempt(), delayMs: 0 }
  if (kind === 'retry') return { kind, attempt: attempt(), delayMs: 0, releasesLane }
  return { kind, attempt: attempt() }
}

/** One of several workers that do not know of each other. */
const createWorker = (store: Store, organizationId: string) => {
  const claims: Array<{ readonly claimId: string; readonly claimed: ClaimedDelivery }> = []
  const settle = async (result: SettlementResult): Promise<void> => {
    const claim = claims.shift()
    if (claim === undefined) return
    const { claimId, claimed } = claim
    const settlement = { deliveryId: claimed.delivery.id, claimId, now: 0, result, failingLimitMs: day }
    await store.settleDelivery(settlement)
  }
  const claim = async (limit: number, leaseMs: number): Promise<number> => {
    const claimId = unique('claim')
    const found = await store.claimDeliveries({ claimId, now: 0, leaseMs, limit, perSubscription })
    claims.push(...found.map((claimed) => ({ claimId, claimed })))
    return found.length
  }
  const toggle = async (): Promise<void> => {
    const found = await store.findSubscription(organizationId, 'sub_2')
    if (found === undefined) return
    const disabledReason = found.disabledReason === null ? 'by_hand' : null
    await store.saveSubscription({ ...found, revision: found.revision + 1, disabledReason })
  }
  return {
    claims,
    settle,
    claim,
    run: async (step: Step): Promise<void> => {
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
            occurredAt: Date.now(),
          })
        case 'claim':
          await claim(step.limit, step.leaseMs)
          return
        case 'settle':
          return settle(toResult(step.result, step.releasesLane))
        case 'resend':
          await store.resendDeliveries({ organizationId, now: 0, limit: 20, webhookIdSuffix: null })
          return
        case 'toggle':
          return toggle()
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
      disabledReason: null,
      failingSince: null,
      updatedAt: 0,
      ...common,
    })
  }
  return id
}

/** Asks again and again, while everything else runs, whether what must always hold does. */
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

const runAll = async (plans: readonly (readonly Step[])[], invariants: readonly string[]): Promise<void> => {
  const [first] = stores
  if (first === undefined) throw new Error('no store is open')
  const organizationId = await openOrganization(first)
  const workers = stores.map((store) => createWorker(store, organizationId))
  const stopWatching = watch(...invariants)
  await Promise.all(
    plans.map(async (plan, index) => {
      const worker = workers[index % workers.length]
      for (const step of plan) await worker?.run(step)
    }),
  )
  await stopWatching()

  const worker = workers.find(() => true)
  for (const each of workers) while (each.claims.length > 0) await each.settle(toResult('delivered', false))
  while ((await worker?.claim(100, 10_000)) || worker?.claims.length) {
    await worker?.settle(toResult('delivered', false))
  }
  const unsettled = await query<{ id: string }>(
    `SELECT d.position FROM wabakit.deliveries d WHERE d.organization_id = '${organizationId}' AND d.finished_at IS NULL`,
  )
  expect(unsettled).toEqual([])
  const miscounted = await query(
    `SELECT e.id FROM wabakit.events e LEFT JOIN wabakit.deliveries d ON d.event = e.position
     WHERE e.organization_id = '${organizationId}' GROUP BY e.id HAVING count(d.position) <> 2`,
  )
  expect(miscounted).toEqual([])
  await first.removeOrganization(organizationId)
}

test('concurrent claims get different deliveries, and together no more than there are slots', async () => {
  const [first] = stores
  if (first === undefined) throw new Error('no store is open')
  const organizationId = await openOrganization(first)
  const worker = createWorker(first, organizationId)
  for (let subject = 0; subject < 40; subject++) await worker.run({ kind: 'add', subject, waits: false })
  const claimAtOnce = async (slots: number): Promise<string[]> => {
    const claims = [...stores, ...stores].map((store) =>
      store.claimDeliveries({
        claimId: unique('claim'),
        now: 0,
        leaseMs: 60_000,
        limit: 5,
        perSubscription: slots,
      }),
    )
    return (await Promise.all(claims)).flatMap((claimed) => claimed.map(({ delivery }) => delivery.id))
  }
  const some = await claimAtOnce(12)
  expect(new Set(some).size).toBe(24)
  const all = [...some, ...(await claimAtOnce(100))]
  expect(new Set(all).size).toBe(24 + 6 * 5)
  await first.removeOrganization(organizationId)
})

const generatePlans = (step: fc.Arbitrary<Step>) =>
  fc.array(fc.array(step, { minLength: 30, maxLength: 40, size: 'max' }), { minLength: 6, maxLength: 9 })

test('a lane always has exactly one head, whatever several processes do concurrently', async () => {
  await fc.assert(
    fc.asyncProperty(generatePlans(steps), (plans) =>
      runAll(plans, [lanesWithoutHead, tooManyLeases, twoHolders, foundTooLate]),
    ),
    { numRuns: 4, endOnFailure: true },
  )
}, 60_000)

test('keeps the order of each lane while several processes work on it', async () => {
  const withoutResend = steps.filter(({ kind }) => kind !== 'resend')
  await fc.assert(
    fc.asyncProperty(generatePlans(withoutResend), (plans) => runAll(plans, [lanesWithoutHead, overtaken])),
    { numRuns: 4, endOnFailure: true },
  )
}, 60_000)
