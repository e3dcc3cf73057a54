import { type EventName, eventNames, isEventName } from '@wabakit/contract'
import { eventExamples } from '@wabakit/contract/documents'
import { InputError, type PublishedEvent, type Subscription } from '../index.ts'
import { toCallSubject, toGroupSubject } from '../simulation/index.ts'

/** A requested test event. Its payload replaces the example. */
export type TestEventInput = {
  readonly name?: string | undefined
  readonly subject?: string | undefined
  readonly payload?: Readonly<Record<string, unknown>> | undefined
}

const isCallEvent = (name: string): boolean => name.startsWith('CALL_')

/**
 * Returns the name of a suitable event for a subscription. Prefers call events on PSTN, and group events on WhatsApp.
 */
const chooseName = ({ channel, events }: Subscription): EventName => {
  const wanted = eventNames.filter((name) => events === 'all' || events.includes(name))
  return wanted.find((name) => isCallEvent(name) === (channel === 'PSTN')) ?? wanted[0] ?? 'CALL_ENDED'
}

const buildExample = (
  name: EventName,
  { channel, number }: Pick<Subscription, 'channel' | 'number'>,
): Record<string, unknown> => {
  const payload: Record<string, unknown> = { ...eventExamples[name] }
  const own: Record<string, unknown> = {
    channel,
    channelNumber: number,
    from: number,
    wabaNumber: number,
    callId: `test_${crypto.randomUUID()}`,
    groupId: `test_${crypto.randomUUID()}`,
  }
  for (const [field, value] of Object.entries(own)) if (field in payload) payload[field] = value
  return payload
}

const findSubject = ({ callId, groupId }: Readonly<Record<string, unknown>>): string => {
  if (typeof callId === 'string') return toCallSubject(callId)
  return toGroupSubject(typeof groupId === 'string' ? groupId : `test_${crypto.randomUUID()}`)
}

const refuse = (path: string, message: string): never => {
  throw new InputError([{ path, message }])
}

/**
 * Builds a test event for one subscription. By default, it is an example event about a new call or group.
 *
 * @throws InputError if the subscription is operational or does not get events of this name, or if neither a
 * payload nor an example exists.
 */
export const buildTestEvent = (subscription: Subscription, input: TestEventInput): PublishedEvent => {
  const { events, channel, number } = subscription
  if (channel === 'OPERATIONS') {
    return refuse('subscriptionId', 'must not be operational: it would be a false alarm')
  }
  const name = input.name ?? chooseName(subscription)
  if (events !== 'all' && !events.includes(name)) {
    return refuse('name', `must be an event of the subscription: ${events.join(', ')}`)
  }
  const payload =
    input.payload ??
    (isEventName(name)
      ? buildExample(name, subscription)
      : refuse('name', `has no example; it must be one of ${eventNames.join(', ')}`))
  const subject = input.subject ?? findSubject(payload)
  return { name, subject, channel, number, payload: JSON.stringify(payload) }
}
