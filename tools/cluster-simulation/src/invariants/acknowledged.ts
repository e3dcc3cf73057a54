import type { EventRecord } from '@wabakit/core'
import { buildSecret } from '../cluster/organization.ts'
import type { Observations } from '../observations.ts'
import type { SubscriptionStep } from '../plan.ts'
import type { Invariant, InvariantContext } from './invariant.ts'

const lost = 'nothing acknowledged is lost'
const undone = 'nothing rejected takes effect'

/** Checks that acknowledged changes and their events are stored, and that rejected ones are not. */
export const createAcknowledgedInvariant = ({ violate }: InvariantContext): Invariant => {
  const done = new Map<string, EventRecord>()
  const rejected = new Map<string, string>()
  const erased = new Set<string>()
  const steps: Observations['step ended'][] = []
  const changes = new Map<string, Set<SubscriptionStep>>()

  const checkNotRejected = (eventId: string, what: string): void => {
    const why = rejected.get(eventId)
    if (why !== undefined)
      violate(undone, `the change with ${eventId} was rejected (${why}), but its event is ${what}`)
  }

  return {
    on: {
      'change ended': ({ event, result, what }) => {
        if (result === 'done') done.set(event.id, event)
        if (result === 'not done') rejected.set(event.id, what)
      },
      loaded: ({ attempted }) => checkNotRejected(attempted.event.id, 'attempted'),
      'step ended': (step) => steps.push(step),
      'subscription changed': ({ id, change }) => changes.set(id, (changes.get(id) ?? new Set()).add(change)),
      erased: ({ subject }) => erased.add(subject),
    },
    finish: ({ events, subscriptions, prunedBefore }) => {
      for (const { id, url, secret } of subscriptions) {
        const own = changes.get(id)
        const isUrlLost = own?.has('change the URL') && !url.endsWith('/moved')
        const isSecretLost = own?.has('rotate the secret') && secret === buildSecret(id, 1)
        if (own?.has('remove')) violate(lost, `${id} was removed, but still exists`)
        if (isUrlLost || isSecretLost) violate(lost, `a change of ${id} was acknowledged, but had no effect`)
      }
      const stored = new Set(events.map(({ id }) => id))
      for (const id of stored) checkNotRejected(id, 'stored')
      const published = new Set(events.map(({ name, subject }) => `${name} of ${subject}`))
      for (const { name, subject } of steps) {
        const step = `${name} of ${subject}`
        const isGone = prunedBefore > 0 || erased.has(subject)
        if (!isGone && !published.has(step)) violate(lost, `a user's step succeeded, but there is no ${step}`)
      }
      for (const { id, name, subject, occurredAt } of done.values()) {
        if (stored.has(id) || erased.has(subject) || occurredAt < prunedBefore) continue
        violate(lost, `${name} of ${subject} was acknowledged, but is not stored`)
      }
    },
  }
}
