import {
  createReceiver,
  type Inbox,
  type InboxContext,
  type SqlInboxOptions,
  unsigned,
} from '@wabakit/webhooks'
import { joined, summary } from '../signed.ts'

type Options = SqlInboxOptions & {
  readonly claimTtlMs?: number
  readonly handlerTimeoutMs?: number
}

/** The parts of handler contexts that tests use with every driver. */
export type Context = InboxContext<{ query(text: string): Promise<unknown> }, { exec(text: string): unknown }>

/** A database in which inboxes are tested. */
export type Environment = {
  /** Creates an inbox. */
  readonly inbox: (options: SqlInboxOptions) => Inbox<Context>
  /** Writes an effect together with the completion, in the way that the database offers. */
  readonly write: (context: Context, effect: string) => unknown
  /** Runs a statement. */
  readonly query: (text: string) => Promise<readonly Record<string, unknown>[]>
}

let tables = 0

/** Returns the name of a new table. */
export const newTable = (): string => `inbox_${++tables}`

/** Creates a receiver with an inbox, and keeps its errors. */
export const receive = (
  { inbox }: Environment,
  { claimTtlMs, handlerTimeoutMs, ...options }: Options = {},
) => {
  const { table = newTable() } = options
  const store = inbox({ table, ...options })
  const errors: unknown[] = []
  const limits = { ...(claimTtlMs && { claimTtlMs }), ...(handlerTimeoutMs && { handlerTimeoutMs }) }
  const receiver = createReceiver({ verify: unsigned(), inbox: store, ...limits }).onError((error) => {
    errors.push(error)
  })
  return { receiver, inbox: store, errors, table }
}

/** Creates a request with a body. */
export const toRequest = (body: unknown, id?: string, headers: Record<string, string> = {}): Request =>
  new Request('http://localhost', {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: {
      'content-type': 'application/json',
      ...(id && { 'webhook-id': id, 'webhook-timestamp': '1800000000' }),
      ...headers,
    },
  })

/** Returns the summary of a call. */
export const toSummary = (callId: string) => ({ ...summary, callId })

/** Returns an event of a call. */
export const toEnd = (callId: string) => ({ event: 'CALL_ENDED', callId })

/** Returns an event of a group. */
export const toJoin = (groupId: string) => ({ ...joined, groupId })
