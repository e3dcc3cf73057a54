import { maskUrl } from '@wabakit/wire'
import * as z from 'zod/mini'
import type { Subscription, SubscriptionWithSecret } from '../../index.ts'
import { EventChannel } from '../../subscriptions/subscription-input.ts'
import { named, Utc, UtcOrNull, utc } from '../schemas.ts'

const subscription = {
  id: z.string(),
  channel: EventChannel,
  number: z.string(),
  url: z.string().check(z.describe('The URL. The values of its query are masked.')),
  events: z.union([z.literal('all'), z.array(z.string())]),
  headerNames: z.array(z.string()),
  maxAttemptsPerSecond: z.nullable(z.number()),
  enabled: z.boolean(),
  disabledReason: z.nullable(z.enum(['by_hand', 'gone', 'failing'])),
  failingSince: UtcOrNull,
  isReported: z.boolean(),
  previousSecretExpiresAt: UtcOrNull,
  createdAt: Utc,
}

export const SubscriptionView = named(
  'Subscription',
  'A subscription to the events of one number or, with the channel `OPERATIONS` and an empty number, to those about the health of subscriptions. Without its secrets: of its headers, only the names are shown. `isReported`: operators were told that it fails or was disabled, and not yet that it recovered.',
  z.object(subscription),
)
export const SubscriptionStateView = z.enum(['working', 'untried', 'behind', 'failing', 'disabled'])
export type SubscriptionStateView = z.infer<typeof SubscriptionStateView>

/** The state of a subscription, and the due time of its oldest due delivery if it is behind. */
export type StateNow = { readonly state: SubscriptionStateView; readonly oldestDueAt: number | null }

export const stateNow = { state: SubscriptionStateView, oldestDueAt: UtcOrNull }

export const ListedSubscriptionView = named(
  'ListedSubscription',
  'A subscription and its state now. `failing`: an attempt has failed since the last success; enabling it, or another URL, starts anew. `behind`: it does not fail, but its oldest due delivery has waited for more than a minute; one that waits for the head of its lane is not due. `untried`: neither, and no attempt has succeeded or failed since it was created, enabled again or got another URL. `working`: none of these. `oldestDueAt`: if it is behind, when its oldest due delivery was due; otherwise null. It changes when that delivery is attempted.',
  z.object({ ...subscription, ...stateNow }),
)

export const SubscriptionSecretView = named(
  'SubscriptionWithSecret',
  'A subscription whose secret has just been set. This is the only response that contains the secret.',
  z.object({ ...subscription, secret: z.string() }),
)

export const showSubscription = (record: Subscription): z.input<typeof SubscriptionView> => {
  const events = record.events === 'all' ? ('all' as const) : [...record.events]
  return z.encode(SubscriptionView, {
    ...record,
    url: maskUrl(record.url),
    events,
    headerNames: [...record.headerNames],
  })
}

export const showSubscriptionSecret = (
  record: SubscriptionWithSecret,
): z.input<typeof SubscriptionSecretView> => ({ ...showSubscription(record), secret: record.secret })

/** Shows a subscription with its state. */
export const showListedSubscription = (
  record: Subscription,
  { state, oldestDueAt }: StateNow = { state: 'working', oldestDueAt: null },
): z.input<typeof ListedSubscriptionView> => ({
  ...showSubscription(record),
  state,
  oldestDueAt: oldestDueAt === null ? null : utc(oldestDueAt),
})
