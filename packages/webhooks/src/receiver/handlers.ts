import { type EventName, eventNames, type WebhookEvent, type WebhookEventOf } from '@wabakit/wire'
import { WebhookHandlerTimeoutError, WebhookUsageError } from '../errors.ts'
import type { EventIdentity } from '../identity/identity.ts'
import type { ParsedEvent, RecognizedBy } from '../parse/parse-event.ts'
import { waitAtMost } from '../time-limit.ts'
import { assertAboveZero, assertFunction, assertNames, assertOptions } from '../usage.ts'

/** The second argument of every handler: the delivery that contained the event. */
export type DeliveryContext = {
  /** The delivery, which is the same on every attempt. */
  readonly delivery: {
    /** The sender's id, such as the `webhook-id`, if there is one. */
    readonly id: string | undefined
    /**
     * The key by which duplicates are recognized, with and without an inbox: `identity`, a colon, and a
     * SHA-256, at most 69 visible ASCII characters. It is the same on every attempt. If `identity` is `none`,
     * a UUID replaces the SHA-256, and only an inbox keeps it through the attempts.
     */
    readonly key: string
    /** The part of the delivery from which the key is derived. */
    readonly identity: EventIdentity
  }
  /** This attempt. */
  readonly attempt: {
    /** When the attempt was sent, as the verifier or else the `webhook-timestamp` states. */
    readonly at: Date | undefined
    /** When the request arrived. With an inbox: when the event was stored. */
    readonly receivedAt: Date
  }
  /** The bytes of the body exactly as they arrived, unless `bodyWasParsed`, or `reconcile` has fetched the event. */
  readonly rawBody: Uint8Array
  /**
   * Set if other code read the body first. `rawBody` is then the copy that is left: usually the parsed value, serialized
   * again, in which large numbers and duplicate keys may differ from the original.
   */
  readonly bodyWasParsed: boolean
  /** The request's headers. With an inbox, only the content type and what identifies or traces the delivery. */
  readonly headers: Headers
  /**
   * The names of the verifiers that accepted the delivery, such as `urlToken`; with `anyOf()`, all that did.
   * Your own function is `function`, unless it has a `scheme`. Empty for an event from `accept()` or `reconcile()`.
   */
  readonly verifiedBy: readonly string[]
  /** How the event was recognized; `undefined` for an unknown or a drifted event. */
  readonly recognizedBy: RecognizedBy | undefined
  /**
   * Aborts when the handler's time is up, or when the host reports that the sender hung up before it had the response. With an inbox or
   * `ack: 'before'`, the response does not wait for handlers, so hanging up does not abort. Instead, `stop` does and, with
   * an inbox, the loss of the claim or of the transaction's connection.
   */
  readonly signal: AbortSignal
}

/**
 * A function that is called with an event, and may return a promise. If it throws, the sender gets a 500, and should retry.
 * With an inbox, the receiver retries. With `ack: 'before'`, the event is lost, because the sender already has its 200.
 */
export type WebhookHandler<Event, Context = DeliveryContext> = (event: Event, context: Context) => unknown

/** Options for one handler. */
export type HandlerOptions = {
  /**
   * Milliseconds until `context.signal` aborts and the delivery fails.
   * @default the receiver's `handlerTimeoutMs`
   */
  readonly timeoutMs?: number | undefined
}

type Call<Context> = (context: Context) => unknown

/** Binds a handler to a parsed event. Returns `undefined` when the handler is for other events. */
export type Binding<Context> = (parsed: ParsedEvent) => Call<Context> | undefined

export type Task<Context> = { readonly call: Call<Context>; readonly timeoutMs: number | undefined }

/**
 * Binds a handler to the known events with this name, or one of these names.
 *
 * @throws WebhookUsageError for an unknown name or none, or a handler that is not a function.
 */
export const bindNames = <Name extends EventName, Context>(
  name: Name | readonly Name[],
  handler: WebhookHandler<WebhookEventOf<Name>, Context>,
): Binding<Context> => {
  const names: readonly EventName[] = [name].flat()
  if (names.length === 0) throw new WebhookUsageError('Name at least one event.')
  assertNames('the name of an event', { names, known: eventNames })
  assertFunction('The handler', handler)
  const isNamed = (event: WebhookEvent): event is WebhookEventOf<Name> => names.includes(event.event)
  return (parsed) => {
    const event = parsed.kind === 'event' && parsed.event
    return event && isNamed(event) ? (context) => handler(event, context) : undefined
  }
}

type ParsedAs<Kind> = Extract<ParsedEvent, { kind: Kind }>

const isKind = <Kind extends ParsedEvent['kind']>(
  parsed: ParsedEvent,
  kind: Kind,
): parsed is ParsedAs<Kind> => parsed.kind === kind

export const bindKind = <Kind extends ParsedEvent['kind'], Context>(
  kind: Kind,
  handler: WebhookHandler<ParsedAs<Kind>, Context>,
): Binding<Context> => {
  assertFunction('The handler', handler)
  return (parsed) => (isKind(parsed, kind) ? (context) => handler(parsed, context) : undefined)
}

/** Creates the list of a receiver's handlers. */
export const createHandlers = <Context>(defaultTimeoutMs: number | undefined) => {
  let registrations: readonly { readonly bind: Binding<Context>; readonly timeoutMs: number | undefined }[] =
    []
  return {
    /** Registers a handler, and returns a function that removes it. */
    add(bind: Binding<Context>, options: HandlerOptions = {}): () => void {
      assertOptions('a handler', options, ['timeoutMs'])
      const { timeoutMs = defaultTimeoutMs } = options
      assertAboveZero('timeoutMs', timeoutMs)
      const registration = { bind, timeoutMs }
      registrations = [...registrations, registration]
      return () => {
        registrations = registrations.filter((each) => each !== registration)
      }
    },
    // Like `add`, this is a method rather than a function property, because TypeScript compares the parameters
    // of methods bivariantly: an inbox for one database must be assignable to an inbox for any database.
    find(parsed: ParsedEvent): Task<Context>[] {
      const tasks: Task<Context>[] = []
      for (const { bind, timeoutMs } of registrations) {
        const call = bind(parsed)
        if (call !== undefined) tasks.push({ call, timeoutMs })
      }
      return tasks
    },
  }
}

export type Handlers<Context> = ReturnType<typeof createHandlers<Context>>

const callInTime = <Context extends { readonly signal: AbortSignal }>(
  call: Call<Context>,
  { context, timeoutMs }: { readonly context: Context; readonly timeoutMs: number },
): Promise<unknown> => {
  const deadline = new AbortController()
  const signal = AbortSignal.any([context.signal, deadline.signal])
  const expire = () => {
    const error = new WebhookHandlerTimeoutError(timeoutMs)
    deadline.abort(error)
    throw error
  }
  return waitAtMost(timeoutMs, () => call({ ...context, signal }), expire)
}

/**
 * Calls every handler, even if another one fails, and applies the handler's time limit if it has one.
 *
 * @returns the result of `onError` for the first in the list that failed; `undefined` when all have succeeded.
 */
export const callAll = async <Context extends { readonly signal: AbortSignal }, Failed>(
  tasks: readonly Task<Context>[],
  context: Context,
  onError: (error: unknown) => Promise<Failed>,
): Promise<Failed | undefined> => {
  const attempts = tasks.map(async ({ call, timeoutMs }) => {
    try {
      await (timeoutMs === undefined ? call(context) : callInTime(call, { context, timeoutMs }))
      return undefined
    } catch (error) {
      return onError(error)
    }
  })
  let failed: Failed | undefined
  // For a single handler, a loop is faster than Promise.all.
  for (const attempt of attempts) {
    const result = await attempt
    failed ??= result
  }
  return failed
}
