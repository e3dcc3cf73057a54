import { ControlError } from '../hosting/control-error.ts'
import type { PublishedEvent, ReferenceServer, Subscription } from '../index.ts'
import { toDigits } from '../values/phone-number.ts'
import type { ControlContext } from './operation.ts'
import { readPages } from './schemas.ts'

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

/** Throws a ControlError `not_allowed` unless subscriptions may get an event whose payload comes from a caller. */
export const checkPayload = (
  receivers: readonly Pick<Subscription, 'id' | 'url'>[],
  { allowsCustomPayload }: Pick<ControlContext, 'allowsCustomPayload'>,
): void => {
  const remote = receivers.find(({ url }) => !allowsCustomPayload(url))
  if (remote === undefined) return
  throw new ControlError(
    'not_allowed',
    `The subscription ${remote.id} has a URL that is not a loopback address. It gets a payload of yours only from a server that was started with --sandbox. A test event without a payload can be sent to any URL.`,
  )
}
