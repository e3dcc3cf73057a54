import { type AttemptVerdict, type DeliveryRecord, memoryStore, type Store } from '@wabakit/core'
import fc from 'fast-check'
import { expect } from 'vitest'
import { type Begun, beginDue } from './attempts.ts'
import { groupEvent, organization, start, subscription } from './sqlite-records.ts'

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
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('erase' as const), which: fc.nat() }) },
)
type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never

/** Runs steps on a store. Returns the result of each step, and the state after every fifth one. */
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
        const before = (await store.listDeliveries(page)).items
        const canceled = before.filter(({ status }) => status === 'skipped').map(({ id }) => id)
        const outcomes = await store.settleDeliveries(settlements)
        const attempts = await Promise.all(keys.map(({ id }) => store.listAttempts(organizationId, id)))
        const numbers = attempts.map((own) => own.map(({ number }) => number))
        const settled = await Promise.all(
          outcomes.map(async (outcome) => {
            if (outcome.outcome === 'stale') return outcome
            // A cancellation has already reported the next head of its lane, which engines may report again.
            const next = canceled.includes(outcome.delivery.id) ? null : outcome.next
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
      case 'prune': {
        // A prune continues where the last one ended, and looks at older records again only after finding nothing.
        let removed = 0
        for (let last = 1; last > 0; removed += last)
          last = await store.prune({ before: now - 50, limit: 1_000 })
        return removed
      }
      case 'erase': {
        const { items } = await store.listEvents(page)
        const eventIds = items
          .slice(each.which % (items.length + 1))
          .map(({ id }) => id)
          .slice(0, 1)
        return store.erase({ organizationId, now, callIds: [], participants: [], eventIds })
      }
    }
  }

  await store.saveOrganization(organization(organizationId))
  for (const id of subscriptionIds) await store.saveSubscription(subscription({ id, organizationId }))
  for (const [index, each] of steps.entries()) {
    now++
    const answer = await take(each, index)
    answers.push({ each, answer, next: await store.nextDueAt() })
    // Reading everything after each step would take most of the time.
    if (index % 5 < 4 && index < steps.length - 1) continue
    const { items } = await store.listDeliveries(page)
    const deliveries = items.map(nameless)
    const events = (await store.listEvents(page)).items.map(({ id }) => id)
    const subscriptions = (await store.listSubscriptions(organizationId, page)).items
    const backlog = await store.measureBacklog({ now, limit: 1_000 })
    answers.push({ deliveries, events, subscriptions, backlog })
  }
  const { items } = await store.listDeliveries(page)
  for (const { id } of items) {
    const attempts = await store.listAttempts(organizationId, id)
    answers.push(attempts.map(({ deliveryId: _, ...attempt }) => attempt))
  }
  await store.removeOrganization(organizationId)
  return answers
}

/** Expects that random sequences of steps have the same results and states as in memory. */
export const expectSameAsMemory = async (store: Store, numRuns: number): Promise<void> => {
  const memory = memoryStore()
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60, size: 'max' }), async (steps) => {
      run++
      expect(await play(store, steps, run)).toEqual(await play(memory, steps, run))
    }),
    // Shrinking ends before the test does, so that its result is seen.
    { numRuns: Number(process.env.WABAKIT_TEST_RUNS ?? numRuns), interruptAfterTimeLimit: 60_000 },
  )
}
