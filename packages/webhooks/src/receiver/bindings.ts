import type { EventName, WebhookEvent } from '@wabakit/contract'
import type { DriftedEvent, ParsedEvent, UnknownEvent } from '../parse/parse-event.ts'
import type { DeliveryContext } from './delivery-context.ts'

/** The event of this name, or of these names. */
export type NamedEvent<Name extends EventName> = Extract<WebhookEvent, { event: Name }>

/** What a receiver calls with an event. A promise that it returns is awaited; what it throws makes the sender retry. */
export type WebhookHandler<Event, Transaction = undefined> = (
  event: Event,
  context: DeliveryContext<Transaction>,
) => unknown

/** Binds a handler to what was parsed; `undefined` when it is not for it. */
export type Binding<Transaction> = (
  parsed: ParsedEvent,
) => ((context: DeliveryContext<Transaction>) => unknown) | undefined

const isNamed = <Name extends EventName>(
  event: WebhookEvent,
  names: readonly Name[],
): event is NamedEvent<Name> => names.some((name) => name === event.event)

/** Binds to the known events of these names. */
export const forEvents =
  <Name extends EventName, Transaction>(
    names: readonly Name[],
    handler: WebhookHandler<NamedEvent<Name>, Transaction>,
  ): Binding<Transaction> =>
  (parsed) => {
    if (parsed.kind !== 'event') return undefined
    const { event } = parsed
    return isNamed(event, names) ? (context) => handler(event, context) : undefined
  }

/** Binds to every known event. */
export const forAnyEvent =
  <Transaction>(handler: WebhookHandler<WebhookEvent, Transaction>): Binding<Transaction> =>
  (parsed) =>
    parsed.kind === 'event' ? (context) => handler(parsed.event, context) : undefined

/** Binds to unknown events. */
export const forUnknown =
  <Transaction>(handler: WebhookHandler<UnknownEvent, Transaction>): Binding<Transaction> =>
  (parsed) =>
    parsed.kind === 'unknown' ? (context) => handler(parsed, context) : undefined

/** Binds to drifted events. */
export const forDrift =
  <Transaction>(handler: WebhookHandler<DriftedEvent, Transaction>): Binding<Transaction> =>
  (parsed) =>
    parsed.kind === 'drifted' ? (context) => handler(parsed, context) : undefined
