import { Channel } from '@wabakit/contract'
import type { ReferenceServer } from '@wabakit/core'
import { SubscriptionInput } from '@wabakit/core/simulation'
import * as z from 'zod/mini'
import type { Account } from '../data/account.ts'
import type { DeliveryTarget, Targets } from '../delivery/targets.ts'
import { MockUsageError } from '../errors.ts'
import { parseInput } from '../input.ts'

const { url, events, secret, headers, authorization } = SubscriptionInput.shape

const SubscriptionData = z.strictObject({
  /** `PSTN` or `WHATSAPP`; group events belong to WHATSAPP. @default both */
  channel: z.optional(Channel),
  /** The number on the channel. @default the tenant's */
  number: z.optional(z.string()),
  /** URL for deliveries over HTTP: `https`, or `http` to a loopback address. */
  url: z.optional(url),
  /** Names of events. @default 'all' */
  events,
  /** `whsec_` and base64. @default the tenant's */
  secret,
  /** Static headers to send with each delivery. */
  headers,
  /** HTTP Basic or Bearer credentials to send with each delivery. */
  authorization,
})

/** A webhook subscription, either with a `url` or with an in-process `receiver`. @interface */
export type SubscriptionRequest = z.infer<typeof SubscriptionData> & {
  /** Handles the deliveries in the same process. */
  readonly receiver?: DeliveryTarget | undefined
}

/** An added subscription. */
export type MockSubscription = {
  /** Ids of the subscription on the server, one for each channel. */
  readonly ids: readonly string[]
  /** The secret of the subscription. */
  readonly secret: string
  /** Removes the subscription and its deliveries from the server. */
  stop(): Promise<void>
}

type SubscribeContext = {
  readonly account: Account
  readonly server: ReferenceServer
  readonly targets: Targets
  /** Creates a URL that is unique among the tenant's subscriptions. */
  readonly createUrl: () => string
}

/** Adds a subscription, or one for each channel. */
export const subscribe = async (
  { account, server: { subscriptions }, targets, createUrl }: SubscribeContext,
  { receiver, ...data }: SubscriptionRequest,
): Promise<MockSubscription> => {
  const parsed = parseInput('subscribe', SubscriptionData, data)
  if ((parsed.url === undefined) === (receiver === undefined)) {
    throw new MockUsageError('subscribe: pass either a url, for HTTP, or a receiver, in process.')
  }
  if (parsed.number !== undefined && parsed.channel === undefined) {
    throw new MockUsageError('subscribe: a number needs its channel, PSTN or WHATSAPP.')
  }
  const { number, channel, secret = account.secret, url = createUrl(), ...rest } = parsed
  const { organizationId } = account
  const ownNumbers = { WHATSAPP: account.wabaNumber, PSTN: account.pstnNumber }
  if (receiver !== undefined) targets.add(url, receiver)
  const ids: string[] = []
  for (const each of channel === undefined ? Channel.options : [channel]) {
    const input = { ...rest, channel: each, number: number ?? ownNumbers[each], url, secret }
    ids.push((await subscriptions.create(organizationId, input)).id)
  }
  let isStopped = false
  return {
    ids,
    secret,
    stop: async () => {
      if (isStopped) return
      isStopped = true
      for (const id of ids) await subscriptions.remove(organizationId, id)
    },
  }
}
