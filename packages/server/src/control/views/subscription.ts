import { UtcTimestamp } from '@wabakit/contract'
import type { Subscription, SubscriptionWithSecret } from '@wabakit/core'
import * as z from 'zod/mini'
import { EventChannel, named } from '../schemas.ts'
import { UtcOrNull, utc, utcOrNull } from './times.ts'

const subscription = () => ({
  id: z.string(),
  channel: EventChannel,
  number: z.string(),
  url: z.string(),
  events: z.union([z.literal('all'), z.array(z.string())]),
  headerNames: z.array(z.string()),
  maxAttemptsPerSecond: z.nullable(z.number()),
  enabled: z.boolean(),
  disabledReason: z.nullable(z.enum(['by_hand', 'gone', 'failing'])),
  failingSince: UtcOrNull,
  isReported: z.boolean(),
  previousSecretExpiresAt: UtcOrNull,
  createdAt: UtcTimestamp,
})

export const SubscriptionView = named(
  'Subscription',
  'A subscription to the events of one number or, with the channel `OPERATIONS` and an empty number, to those about the health of subscriptions. Without its secrets: of its headers, only the names are shown. `isReported`: operators were told that it fails, and not yet that it recovered.',
  z.object(subscription()),
)
export const SubscriptionSecretView = named(
  'SubscriptionWithSecret',
  'A subscription whose secret has just been set. This is the only response that contains the secret.',
  z.object({ ...subscription(), secret: z.string() }),
)

export const showSubscription = (record: Subscription): z.infer<typeof SubscriptionView> => ({
  id: record.id,
  channel: record.channel,
  number: record.number,
  url: record.url,
  events: record.events === 'all' ? 'all' : [...record.events],
  headerNames: [...record.headerNames],
  maxAttemptsPerSecond: record.maxAttemptsPerSecond,
  enabled: record.enabled,
  disabledReason: record.disabledReason,
  failingSince: utcOrNull(record.failingSince),
  isReported: record.isReported,
  previousSecretExpiresAt: utcOrNull(record.previousSecretExpiresAt),
  createdAt: utc(record.createdAt),
})

export const showSubscriptionSecret = (
  record: SubscriptionWithSecret,
): z.infer<typeof SubscriptionSecretView> => ({ ...showSubscription(record), secret: record.secret })
