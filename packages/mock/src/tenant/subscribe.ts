import { Channel, type EventName, eventNames } from '@wabakit/contract'
import * as z from 'zod/mini'
import type { Account } from '../data/account.ts'
import { type DeliveryTarget, inProcess, type Targets } from '../delivery/targets.ts'
import { MockUsageError } from '../errors/mock-usage-error.ts'
import { parseInput } from '../input.ts'
import type { World } from './world.ts'

/** Schema of the plain part of a {@link SubscriptionRequest}. */
export const SubscriptionData = z.strictObject({
  /** `PSTN` or `WHATSAPP`; group events come on WHATSAPP. @default both */
  channel: z.optional(Channel),
  /** The number of the channel. @default the tenant's */
  number: z.optional(z.string()),
  /** Where to send by HTTP: `https`, or `http` to a loopback address. */
  url: z.optional(z.string()),
  /** Names of events. @default 'all' */
  events: z.optional(
    z.union([z.literal('all'), z.readonly(z.array(z.enum<readonly EventName[]>(eventNames)))]),
  ),
  /** `whsec_` and base64. @default the tenant's */
  secret: z.optional(z.string()),
})
export type SubscriptionData = z.infer<typeof SubscriptionData>

/** A webhook subscription to add: with a `url`, or with a `receiver` in process. */
export type SubscriptionRequest = SubscriptionData & {
  /** Takes the deliveries in process. */
  readonly receiver?: DeliveryTarget | undefined
}

/** A subscription that was added. */
export type MockSubscription = {
  /** The secret that signs its deliveries. */
  readonly secret: string
  /** Ends it; what is on its way to it is forgotten. */
  stop(): Promise<void>
}

/** What {@link subscribe} works with. */
export type SubscribeContext = {
  readonly account: Account
  readonly world: World
  readonly targets: Targets
  /** A URL that no other subscription of the tenant has. */
  readonly newUrl: () => string
}

const parse = ({ receiver, ...data }: SubscriptionRequest): SubscriptionData => {
  const parsed = parseInput('subscribe', SubscriptionData, data)
  if ((parsed.url === undefined) === (receiver === undefined)) {
    throw new MockUsageError('subscribe: give either a url, for HTTP, or a receiver, in process.')
  }
  if (parsed.number !== undefined && parsed.channel === undefined) {
    throw new MockUsageError('subscribe: a number needs its channel, PSTN or WHATSAPP.')
  }
  return parsed
}

/** Adds a subscription, or one for each channel. */
export const subscribe = async (
  { account, world, targets, newUrl }: SubscribeContext,
  request: SubscriptionRequest,
): Promise<MockSubscription> => {
  const { channel, number, events, secret = account.secret, url = newUrl() } = parse(request)
  const { receiver } = request
  const { subscriptions } = world.server
  const { organizationId } = account
  const own = { WHATSAPP: account.wabaNumber, PSTN: account.pstnNumber }
  if (receiver !== undefined) targets.set(url, inProcess('receiver', url, receiver))
  const ids: string[] = []
  for (const each of channel === undefined ? Channel.options : [channel]) {
    const input = { channel: each, number: number ?? own[each], url, events, secret }
    ids.push((await subscriptions.create(organizationId, input)).id)
  }
  return {
    secret,
    stop: async () => {
      for (const id of ids.splice(0)) await subscriptions.remove(organizationId, id)
    },
  }
}
