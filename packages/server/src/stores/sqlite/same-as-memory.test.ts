import { join } from 'node:path'
import { type DeliveryRecord, memoryStore, type Settlement, type Store } from '@wabakit/core'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { groupEvent, organization, start, subscription } from '../../../test/sqlite-records.ts'
import { temporaryFolder } from '../../../test/temporary-folder.ts'
import { sqliteStore } from './sqlite-store.ts'

const subjects = ['call:a', 'call:b', 'call:c']
const subscriptionIds = ['sub_1', 'sub_2']
/** The events of a call, in order; what comes later has no name of its own. */
const names = ['CALL_INCOMING_INITIATED', 'CALL_ACCEPTED', 'CALL_ENDED', 'CALL_AI_SUMMARY']

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('tell' as const), subject: fc.constantFrom(...subjects) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('claim' as const),
      perSubscription: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      which: fc.nat(),
      result: fc.constantFrom('delivered', 'retry', 'deferred', 'exhausted', 'gone', 'released'),
      delayMs: fc.integer({ min: 0, max: 100 }),
      releasesLane: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 150 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expireLeases' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      id: fc.constantFrom(...subscriptionIds),
      disabledReason: fc.constantFrom(null, null, 'by_hand' as const),
      url: fc.constantFrom('https://a.example', 'https://b.example'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('resend' as const),
      webhookIdSuffix: fc.constantFrom(null, '-2'),
      subscriptionId: fc.constantFrom(undefined, ...subscriptionIds),
      statuses: fc.constantFrom(undefined, ['exhausted', 'skipped'] as const, ['delivered'] as const),
      limit: fc.integer({ min: 1, max: 5 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('prune' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never

/** Runs steps on a store; gives what it answered and how things stand after each. */
const play = async (store: Store, steps: readonly Step[], run: number): Promise<unknown[]> => {
  const organizationId = `org_${run}`
  const page = { organizationId, limit: 1_000 }
  const published = new Map<string, number>()
  const claimed: { claimId: string; deliveryId: string }[] = []
  const answers: unknown[] = []
  let now = start

  /** A delivery without its id, which every store makes in its own way. */
  const nameless = ({ id: _, ...delivery }: DeliveryRecord) => delivery
  const claim = async (perSubscription: number, index: number): Promise<unknown> => {
    const claimId = `claim_${run}_${index}`
    const deliveries = await store.claimDeliveries({
      claimId,
      now,
      leaseMs: 10_000,
      limit: 1_000,
      perSubscription,
    })
    // The order of deliveries with the same due time is undefined.
    const formatName = ({ event, subscription }: (typeof deliveries)[number]) =>
      `${event.id} ${subscription.id}`
    const sorted = deliveries.toSorted((left, right) => formatName(left).localeCompare(formatName(right)))
    claimed.push(...sorted.map(({ delivery }) => ({ claimId, deliveryId: delivery.id })))
    return sorted.map((each) => ({ ...each, delivery: nameless(each.delivery) }))
  }

  const take = async (each: Step, index: number): Promise<unknown> => {
    switch (each.kind) {
      case 'tell': {
        const nth = published.get(each.subject) ?? 0
        published.set(each.subject, nth + 1)
        const name = names[nth] ?? 'LATER'
        const waitsFor = name === 'CALL_AI_SUMMARY' ? 'CALL_ENDED' : null
        const { subject } = each
        return store.addEvent(
          groupEvent(`${run}_${index}`, { organizationId, name, subject, waitsFor, occurredAt: now }),
        )
      }
      case 'claim':
        return claim(each.perSubscription, index)
      case 'settle': {
        const which = claimed[each.which % claimed.length]
        if (which === undefined) return undefined
        // A removed delivery is left out: that its claim is stale has a test of its own.
        const { items } = await store.listDeliveries({ ...page, deliveryId: which.deliveryId })
        if (items.length === 0) return undefined
        const { result: kind, delayMs, releasesLane } = each
        const status = kind === 'delivered' ? 200 : 500
        const attempt = {
          startedAt: now,
          durationMs: 1.5,
          url: 'https://a.example',
          status,
          error: null,
          responseBody: null,
        }
        const result: Settlement['result'] =
          kind === 'released'
            ? { kind }
            : kind === 'retry'
              ? { kind, attempt, delayMs, releasesLane }
              : kind === 'deferred'
                ? { kind, attempt, delayMs }
                : { kind, attempt }
        const settled = await store.settleDelivery({ ...which, now, result, failingLimitMs: 300 })
        const attempts = await store.listAttempts(organizationId, which.deliveryId)
        const numbers = attempts.map(({ number, succeeded }) => [number, succeeded])
        if (settled.outcome === 'stale') return { settled, numbers }
        return { ...settled, delivery: nameless(settled.delivery), numbers }
      }
      case 'wait':
        now += each.ms
        return undefined
      case 'expireLeases':
        now += 10_000
        return claim(1_000, index)
      case 'change': {
        const current = await store.findSubscription(organizationId, each.id)
        if (current === undefined) return undefined
        const { disabledReason, url } = each
        const revision = current.revision + 1
        return store.saveSubscription({ ...current, revision, disabledReason, url, updatedAt: now })
      }
      case 'resend': {
        const { webhookIdSuffix, subscriptionId, statuses, limit } = each
        const { resent, nextCursor } = await store.resendDeliveries({
          organizationId,
          webhookIdSuffix,
          subscriptionId,
          statuses,
          limit,
          now,
        })
        return { resent, hasMore: nextCursor !== undefined }
      }
      case 'prune':
        return store.prune({ before: now - 50, limit: 1_000 })
    }
  }

  await store.saveOrganization(organization(organizationId))
  for (const id of subscriptionIds) await store.saveSubscription(subscription({ id, organizationId }))
  for (const [index, each] of steps.entries()) {
    now++
    const answer = await take(each, index)
    const deliveries = (await store.listDeliveries(page)).items.map(nameless)
    const events = (await store.listEvents(page)).items.map(({ id }) => id)
    const subscriptions = (await store.listSubscriptions(organizationId, page)).items
    const backlog = await store.measureBacklog({ now, limit: 5 })
    answers.push({ each, answer, deliveries, events, subscriptions, backlog, next: await store.nextDueAt() })
  }
  await store.removeOrganization(organizationId)
  return answers
}

test('answers like the memory store, whatever happens in whichever order', async () => {
  const sqlite = sqliteStore({ path: join(temporaryFolder(), 'wabakit.db') })
  onTestFinished(sqlite.close)
  const memory = memoryStore()
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }), async (steps) => {
      run++
      expect(await play(sqlite, steps, run)).toEqual(await play(memory, steps, run))
    }),
    { numRuns: Number(process.env.WABAKIT_TEST_RUNS ?? 15) },
  )
}, 60_000)
