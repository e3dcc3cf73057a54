import type { EventName, WebhookEvent } from '@wabakit/contract'
import type { DriftedEvent, ParsedEvent, UnknownEvent } from '../parse/parse-event.ts'
import type { DeliveryContext } from './delivery-context.ts'

/** The event of this name, or of these names. */
export type NamedEvent<Name extends EventName> = Extract<WebhookEvent, { event: Name }>

/** What a receiver calls with an event. A promise that it returns is awaited; what it throws makes the sender retry. */
export type WebhookHandler<Event> = (event: Event, context: DeliveryContext) => unknown

/** Binds a handler to what was parsed; `undefined` when it is not for it. */
export type Binding = (parsed: ParsedEvent) => ((context: DeliveryContext) => unknown) | undefined

const isNamed = <Name extends EventName>(
  event: WebhookEvent,
  names: readonly Name[],
): event is NamedEvent<Name> => names.some((name) => name === event.event)

/** Binds to the known events of these names. */
export const forEvents =
  <Name extends EventName>(names: readonly Name[], handler: WebhookHandler<NamedEvent<Name>>): Binding =>
  (parsed) => {
    if (parsed.kind !== 'event') return undefined
    const { event } = parsed
    return isNamed(event, names) ? (context) => handler(event, context) : undefined
  }

/** Binds to every known event. */
export const forAnyEvent =
  (handler: WebhookHandler<WebhookEvent>): Binding =>
  (parsed) =>
    parsed.kind === 'event' ? (context) => handler(parsed.event, context) : undefined

/** Binds to unknown events. */
export const forUnknown =
  (handler: WebhookHandler<UnknownEvent>): Binding =>
  (parsed) =>
    parsed.kind === 'unknown' ? (context) => handler(parsed, context) : undefined

/** Binds to drifted events. */
export const forDrift =
  (handler: WebhookHandler<DriftedEvent>): Binding =>
  (parsed) =>
    parsed.kind === 'drifted' ? (context) => handler(parsed, context) : undefined
