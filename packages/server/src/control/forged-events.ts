import type { PublishedEvent, ReferenceServer, Subscription } from '@wabakit/core'
import { toDigits } from '@wabakit/core/hosting'
import { isLoopbackHost } from '../delivery/target-policy.ts'
import { ControlError } from './control-error.ts'
import { readPages, type ServerInfo } from './schemas.ts'

/**
 * Finds the subscriptions that match an event. Disabled subscriptions are included, because their deliveries can be
 * sent later.
 */
export const findReceivers = async (
  { subscriptions }: ReferenceServer,
  organizationId: string,
  { channel, number, name }: Pick<PublishedEvent, 'channel' | 'number' | 'name'>,
): Promise<Subscription[]> => {
  const digits = toDigits(number)
  const receivers: Subscription[] = []
  for await (const each of readPages((page) => subscriptions.list(organizationId, page))) {
    const isWanted = each.events === 'all' || each.events.some((wanted) => wanted === name)
    if (each.channel === channel && toDigits(each.number) === digits && isWanted) receivers.push(each)
  }
  return receivers
}

/**
 * Returns whether a URL may get an event whose payload comes from a caller. An endpoint cannot distinguish it from a
 * genuine event, so only the developer's own machine may get it. Each attempt checks this again.
 */
export const allowsForged = (url: string, { mock }: Pick<ServerInfo, 'mock'>): boolean =>
  mock || isLoopbackHost(new URL(url).hostname)

/** Throws a ControlError `not_allowed` unless subscriptions may get an event whose payload comes from a caller. */
export const checkPayload = (
  receivers: readonly Pick<Subscription, 'id' | 'url'>[],
  info: Pick<ServerInfo, 'mock'>,
): void => {
  const remote = receivers.find(({ url }) => !allowsForged(url, info))
  if (remote === undefined) return
  throw new ControlError(
    'not_allowed',
    `The subscription ${remote.id} has a URL that is not a loopback address. It gets a payload of yours only from a server that was started with --mock. A test event without a payload can be sent to any URL.`,
  )
}
