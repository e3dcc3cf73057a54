import { type EventName, eventNames, type WebhookEvent } from '@wabakit/wire'
import { WebhookHandlerTimeoutError, WebhookUsageError } from '../errors.ts'
import type { ParsedEvent } from '../parse/parse-event.ts'
import { assertAboveZero, assertFunction, assertNames, assertOptions } from '../usage.ts'
import type { DeliveryContext } from './delivery-context.ts'

/** The event with this name, or with one of these names. @inline */
export type NamedEvent<Name extends EventName> = Extract<WebhookEvent, { event: Name }>

/**
 * A function that is called with an event, and may return a promise. If it throws, the sender tries again; with an
 * inbox, the receiver does.
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

/** Binds a handler to a parsed event; `undefined` when the handler is for other events. */
export type Binding<Context> = (parsed: ParsedEvent) => Call<Context> | undefined

export type Task<Context> = { readonly call: Call<Context>; readonly timeoutMs: number | undefined }

const isNamed = <Name extends EventName>(
  event: WebhookEvent,
  names: readonly Name[],
): event is NamedEvent<Name> => names.some((name) => name === event.event)

const isList = <Item>(value: Item | readonly Item[]): value is readonly Item[] => Array.isArray(value)

/**
 * Binds a handler to the known events with this name, or one of these names.
 *
 * @throws WebhookUsageError for an unknown name.
 */
export const bindNames = <Name extends EventName, Context>(
  name: Name | readonly Name[],
  handler: WebhookHandler<NamedEvent<Name>, Context>,
): Binding<Context> => {
  const names: readonly Name[] = isList(name) ? name : [name]
  if (names.length === 0) throw new WebhookUsageError('Name at least one event.')
  assertNames('the name of an event', { names, known: eventNames })
  assertFunction('The handler', handler)
  return (parsed) => {
    if (parsed.kind !== 'event') return undefined
    const { event } = parsed
    return isNamed(event, names) ? (context) => handler(event, context) : undefined
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

type Registration<Context> = {
  readonly bind: Binding<Context>
  readonly timeoutMs: number | undefined
}

/** The handlers of a receiver, in the order in which they were registered. */
export type Handlers<Context> = {
  /** Registers a handler, and returns a function that removes it. */
  add(bind: Binding<Context>, options?: HandlerOptions): () => void
  // A method, like `add`, so that an inbox for one database is assignable to an inbox for any database.
  find(parsed: ParsedEvent): Task<Context>[]
}

export const createHandlers = <Context>(defaultTimeoutMs: number | undefined): Handlers<Context> => {
  let registrations: readonly Registration<Context>[] = []
  return {
    add(bind, options = {}) {
      assertOptions('a handler', options, ['timeoutMs'])
      const { timeoutMs = defaultTimeoutMs } = options
      assertAboveZero('timeoutMs', timeoutMs)
      const registration = { bind, timeoutMs }
      registrations = [...registrations, registration]
      return () => {
        registrations = registrations.filter((each) => each !== registration)
      }
    },
    find(parsed) {
      const tasks: Task<Context>[] = []
      for (const { bind, timeoutMs } of registrations) {
        const call = bind(parsed)
        if (call !== undefined) tasks.push({ call, timeoutMs })
      }
      return tasks
    },
  }
}

const callInTime = async <Context extends { readonly signal: AbortSignal }>(
  call: Call<Context>,
  { context, timeoutMs }: { readonly context: Context; readonly timeoutMs: number },
): Promise<unknown> => {
  const deadline = new AbortController()
  const signal = AbortSignal.any([context.signal, deadline.signal])
  let timer: ReturnType<typeof setTimeout> | undefined
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new WebhookHandlerTimeoutError(timeoutMs)
      deadline.abort(error)
      reject(error)
    }, timeoutMs)
  })
  try {
    return await Promise.race([call({ ...context, signal }), expired])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Calls every handler, even if another one fails, each within its time limit if it has one.
 *
 * @returns the result of `onError` for the first handler that failed; `undefined` when all have succeeded.
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
