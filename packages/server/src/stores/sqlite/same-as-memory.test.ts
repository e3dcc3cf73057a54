import { join } from 'node:path'
import { type AttemptVerdict, type DeliveryRecord, memoryStore, type Store } from '@wabakit/core'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { type Begun, beginDue } from '../../../test/attempts.ts'
import { groupEvent, organization, start, subscription } from '../../../test/sqlite-records.ts'
import { temporaryFolder } from '../../../test/temporary-folder.ts'
import { sqliteStore } from './sqlite-store.ts'

const subjects = ['call:a', 'call:b', 'call:c']
const subscriptionIds = ['sub_1', 'sub_2']
/** The names of a subject's first events, in order. All later events are named `LATER`. */
const names = ['CALL_INCOMING_INITIATED', 'CALL_ACCEPTED', 'CALL_ENDED', 'CALL_AI_SUMMARY']

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('tell' as const), subject: fc.constantFrom(...subjects) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('begin' as const) }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      which: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
      pace: fc.constantFrom(undefined, undefined, 'failing' as const, 'quick' as const),
      result: fc.constantFrom('delivered', 'retry', 'deferred', 'exhausted', 'gone', 'refused'),
      delayMs: fc.integer({ min: 0, max: 100 }),
      releasesLane: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 150 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('cancel' as const, 'retry' as const), which: fc.nat() }),
  },
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

/** Runs steps on a store. Returns the result and the state after each step. */
const play = async (store: Store, steps: readonly Step[], run: number): Promise<unknown[]> => {
  const organizationId = `org_${run}`
  const page = { organizationId, limit: 1_000 }
  const published = new Map<string, number>()
  const begun: Begun[] = []
  const answers: unknown[] = []
  let now = start

  /** Returns a delivery without its id, which every store generates differently. */
  const nameless = ({ id: _, ...delivery }: DeliveryRecord) => delivery
  const formatName = ({ event, subscription }: Begun) => `${event.id} ${subscription.id}`
  /** Sorts the deliveries, because the order of queues is undefined. */
  const begin = async () => {
    const found = (await beginDue(store, now)).toSorted((left, right) =>
      formatName(left).localeCompare(formatName(right)),
    )
    begun.push(...found)
    return found.map(({ key, delivery, ...each }) => ({
      ...each,
      version: key.version,
      delivery: nameless(delivery),
    }))
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
      case 'begin':
        return begin()
      case 'settle': {
        // A store may skip the deliveries of a subscription before or after the rest of the batch that disables it.
        const indexes = each.result === 'exhausted' ? each.which.slice(0, 1) : each.which
        const chosen = indexes.flatMap((which) => begun[which % begun.length] ?? [])
        const keys = [...new Map(chosen.map(({ key }) => [key.id, key])).values()]
        const { result: kind, delayMs, releasesLane, pace } = each
        const status = kind === 'delivered' ? 200 : 500
        const attempt = {
          startedAt: now,
          durationMs: 1.5,
          url: 'https://a.example',
          status,
          error: null,
          responseBody: null,
        }
        const result: AttemptVerdict =
          kind === 'retry'
            ? { kind, attempt, delayMs, releasesLane }
            : kind === 'deferred'
              ? { kind, attempt, delayMs }
              : { kind, attempt }
        const settlements = keys.map((key) => ({ ...key, now, result, pace, failingLimitMs: 300 }))
        const outcomes = await store.settleDeliveries(settlements)
        const attempts = await Promise.all(keys.map(({ id }) => store.listAttempts(organizationId, id)))
        const numbers = attempts.map((own) => own.map(({ number, succeeded }) => [number, succeeded]))
        const settled = await Promise.all(
          outcomes.map(async (outcome) => {
            if (outcome.outcome === 'stale') return outcome
            const { next } = outcome
            const [following] =
              next === null ? [] : (await store.listDeliveries({ ...page, deliveryId: next.id })).items
            return {
              ...outcome,
              delivery: nameless(outcome.delivery),
              next: following && { ...nameless(following), dueAt: next?.dueAt, version: next?.version },
            }
          }),
        )
        return { settled, numbers }
      }
      case 'cancel':
      case 'retry': {
        const { items } = await store.listDeliveries(page)
        const deliveryId = items[each.which % items.length]?.id ?? 'none'
        const request = { organizationId, deliveryId, now }
        return each.kind === 'cancel' ? store.cancelDelivery(request) : store.retryDelivery(request)
      }
      case 'wait':
        now += each.ms
        return undefined
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
    const backlog = await store.measureBacklog({ now, limit: 1_000 })
    answers.push({ each, answer, deliveries, events, subscriptions, backlog, next: await store.nextDueAt() })
  }
  await store.removeOrganization(organizationId)
  return answers
}

test('behaves like the memory store for any sequence of steps', async () => {
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
})
