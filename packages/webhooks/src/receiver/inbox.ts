import type { SummaryRecord } from '@wabakit/wire'
import type { WebhookPayload } from '../payload.ts'
import type { DeliveryContext } from './delivery-context.ts'
import type { ErrorListener } from './failures.ts'
import type { Handlers } from './handlers.ts'
import type { StopOptions } from './running.ts'

/**
 * The state of an entry. `entries.ts` describes the transitions.
 *
 * - `stored`: waits for its first attempt.
 * - `claimed`: a process is handling it.
 * - `failed`: waits for its next attempt.
 * - `handled`: its handlers have succeeded.
 * - `parked`: no handler took it, or every attempt failed. It waits for an upgrade, a retry or a discard.
 * - `suppressed`: reports what another handled entry has already reported.
 * - `discarded`: given up by request.
 * - `missing`: a summary that has not arrived, and that `reconcile` requests.
 * - `unavailable`: a summary that can never exist.
 * - `given_up`: a summary that was not found before the age limit.
 * - `erased`: only hashes are left, which keep it from coming back.
 */
export type InboxState =
  | 'stored'
  | 'claimed'
  | 'failed'
  | 'handled'
  | 'parked'
  | 'suppressed'
  | 'discarded'
  | 'missing'
  | 'unavailable'
  | 'given_up'
  | 'erased'

/**
 * The reason for parking an entry.
 *
 * - `failed`: every attempt failed.
 * - `drifted`: the event does not match its contract, and there is no `onDrift`.
 * - `unknown`: this version does not know the event, and there is no `onUnknown`.
 * - `unreadable`: the body is not a JSON object.
 * - `no_handler`: the event is known, but has no handler.
 */
export type ParkedReason = 'failed' | 'drifted' | 'unknown' | 'unreadable' | 'no_handler'

/** One received event. */
export type InboxEntry = {
  /** Its id in the inbox. Ids are in order of arrival. */
  readonly id: string
  /** Its state. */
  readonly state: InboxState
  /** The reason for parking it. */
  readonly reason: ParkedReason | undefined
  /** The error of the last attempt. */
  readonly error: string | undefined
  /** Its source: `webhook`, or the `source` given to `accept`. */
  readonly source: string
  /** The sender's id, such as the `webhook-id`. */
  readonly deliveryId: string | undefined
  /** The name of the event, if it has one. */
  readonly name: string | undefined
  /** The call or group: `call:<callId>` or `group:<groupId>`. */
  readonly subject: string | undefined
  /** Number of attempts so far. */
  readonly attempts: number
  /** When it was stored. */
  readonly receivedAt: Date
  /** When the sender sent it, if known. */
  readonly sentAt: Date | undefined
  /** When its next attempt is due, its claim expires, or its body or row is deleted. */
  readonly dueAt: Date
}

/** An entry with its body. @interface */
export type InboxEntryWithBody = InboxEntry & {
  /** The body exactly as it arrived; `undefined` when it is no longer kept. */
  readonly body: Uint8Array | undefined
}

/** Selects entries that meet every given condition. */
export type InboxSelection = {
  /** One id, or several. */
  readonly id?: string | readonly string[] | undefined
  /** A state. */
  readonly state?: InboxState | undefined
  /** The reason why entries are parked. */
  readonly reason?: ParkedReason | undefined
  /** The name of the event. */
  readonly name?: string | undefined
  /** The id of a call. */
  readonly callId?: string | undefined
  /** The id of a group. */
  readonly groupId?: string | undefined
}

/** The page of entries to return. */
export type InboxPage = {
  /**
   * Maximum number of entries.
   * @default 100
   */
  readonly limit?: number | undefined
  /** The id of the last entry of the previous page. */
  readonly after?: string | undefined
}

/** The call, group or phone number to erase: exactly one of them. A number is compared by its digits. */
export type InboxErasure =
  | { readonly callId: string }
  | { readonly groupId: string }
  | { readonly number: string }

/** Methods that list, retry, discard and erase entries. They do not need a receiver. */
export type InboxEntries = {
  /** Lists entries in order of arrival. */
  list(selection?: InboxSelection, page?: InboxPage): Promise<readonly InboxEntry[]>
  /** Returns one entry with its body. */
  show(id: string): Promise<InboxEntryWithBody | undefined>
  /** Returns the number of entries of each state. */
  count(): Promise<Readonly<Partial<Record<InboxState, number>>>>
  /**
   * Handles failed, parked and suppressed entries again, with a new attempt count. A suppressed one is handled even
   * though its event was handled before. Entries whose body is no longer kept stay as they are.
   *
   * @returns the number of entries that will be handled.
   */
  retry(selection: InboxSelection): Promise<number>
  /**
   * Gives up stored, failed, parked and suppressed entries, and forgets their bodies. Duplicates of them are still
   * recognized.
   *
   * @returns the number of discarded entries.
   */
  discard(selection: InboxSelection): Promise<number>
  /**
   * Erases everything about a call or a group, or the events that mention a number and their calls. Hashes are kept for
   * `retention.keyMs`, so that neither a duplicate nor `reconcile` brings the events back.
   *
   * @returns the number of erased entries.
   */
  erase(what: InboxErasure): Promise<number>
}

/** The second argument of handlers of a receiver with an inbox. */
export type InboxContext<Client = never, Database = never> = DeliveryContext & {
  /** This attempt. */
  readonly attempt: DeliveryContext['attempt'] & {
    /** Counts the attempts from 1. */
    readonly number: number
  }
  /**
   * PostgreSQL and MySQL: returns a client in a transaction that begins here and ends with the completion. Its writes
   * are committed only if all handlers of the event succeed and the claim is still held. Do not commit, roll back or
   * release it. All handlers of an event share it.
   *
   * @throws WebhookUsageError on SQLite.
   */
  transaction(): Promise<Client>
  /**
   * SQLite: adds a function that runs in the transaction of the completion, if all handlers of the event succeed and
   * the claim is still held. It must be synchronous. If it throws, the attempt fails, and nothing is written.
   *
   * @throws WebhookUsageError on other databases, and after the handler has returned.
   */
  atCompletion(write: (database: Database) => unknown): void
}

/** Options for {@link InboxMethods.accept}. */
export type AcceptOptions = {
  /**
   * The id of the message, by which duplicates within the source are recognized. Without one, they are recognized like
   * webhooks without an id.
   */
  readonly id?: string | undefined
  /**
   * The source of the event. Ids of different sources do not conflict. The source of webhooks is `webhook`.
   * @default 'accepted'
   */
  readonly source?: string | undefined
}

/** The result of storing an event. */
export type StoreOutcome = 'stored' | 'duplicate'

/** Options for {@link InboxMethods.drain}. */
export type DrainOptions = {
  /**
   * Milliseconds after which no further handler starts.
   * @default no limit
   */
  readonly maxMs?: number | undefined
}

/** The entries that are left after {@link InboxMethods.drain}. */
export type Remaining = {
  /** Number of entries that are stored, claimed or failed. */
  readonly remaining: number
  /** When the first of them can be handled; now, if it is already due. */
  readonly nextDueAt: Date | undefined
}

/** The methods that a receiver has only with an inbox. */
export type InboxMethods = {
  /**
   * Handles stored events in this process, until `stop`. Any number of processes may call it. On PostgreSQL, reserves a
   * connection of the pool for storing, before handlers can occupy all of them.
   */
  start(): void
  /**
   * Handles everything that is due, and resolves when no handler is running: for tests, cron jobs and serverless hosts.
   *
   * @throws any database error.
   */
  drain(options?: DrainOptions): Promise<Remaining>
  /**
   * Stores an event from a queue, a bus or a file. It is not verified: the caller vouches for it.
   * Acknowledge the message when the promise resolves.
   *
   * @throws TypeError when the body is neither text nor bytes.
   * @throws any database error. In that case, the event is not stored.
   */
  accept(body: WebhookPayload, options?: AcceptOptions): Promise<StoreOutcome>
  /**
   * Requests missing summaries of calls that have another stored event, and stores those that exist. Call it every few
   * minutes, in any number of processes: only one of them sends requests at a time. A summary that is not ready (202,
   * 404) is requested again after one minute (or `olderThanMs`, if that is less), then two, then four, until the age
   * limit; then its entry is `given_up`. A summary that can never exist (422) is `unavailable`. After a 429, the run
   * ends.
   *
   * @param client - the client of the service, as `createClient` returns it.
   * @throws RangeError when `maxAgeMs` is not less than `retention.keyMs`, or a time is not above 0.
   * @throws any other error from the client or the database.
   */
  reconcile(client: SummaryClient, options: ReconcileOptions): Promise<Reconciled>
}

/** The required part of a client of the service, as `createClient` returns it. */
export type SummaryClient = {
  readonly calls: {
    getSummary(callId: string, options?: { readonly signal?: AbortSignal }): PromiseLike<SummaryRecord>
  }
}

/** Options for `receiver.reconcile()`. */
export type ReconcileOptions = {
  /** Time from the first event of a call until its missing summary is requested, in milliseconds. */
  readonly olderThanMs: number
  /**
   * Time from the first event of a call until its summary is given up, in milliseconds. Less than `retention.keyMs`.
   * @default 259_200_000 (3 days)
   */
  readonly maxAgeMs?: number | undefined
  /**
   * Milliseconds between two requests.
   * @default 1_000
   */
  readonly intervalMs?: number | undefined
  /** Ends the run early. */
  readonly signal?: AbortSignal | undefined
}

/** The result of one run of `receiver.reconcile()`, in numbers of summaries. */
export type Reconciled = {
  /** Number of summaries that were requested. */
  readonly asked: number
  /** Number of summaries that were fetched and stored. */
  readonly accepted: number
  /** Number of summaries that are not ready, and will be requested again. */
  readonly pending: number
  /** Number of summaries that can never exist. */
  readonly unavailable: number
  /** Number of summaries that were not found before the age limit. */
  readonly givenUp: number
}

/** A verified delivery to store. */
export type InboxDelivery = {
  readonly id: string | undefined
  /** `webhook` by default. */
  readonly source?: string | undefined
  readonly body: Uint8Array
  readonly sentAt?: Date | undefined
  readonly headers?: Headers | undefined
}

/** Stores a verified delivery. Never rejects: a failure is reported, and the delivery is not stored. */
export type StoreDelivery = (delivery: InboxDelivery) => Promise<StoreOutcome | 'unavailable'>

/** The parts of a receiver that an inbox uses. */
export type InboxHost<Context> = {
  readonly handlers: Handlers<Context>
  readonly report: ErrorListener
  readonly claimTtlMs: number
  readonly maxBodyBytes: number
}

/** Stores received events before they are handled: {@link sqlInbox}. */
export type Inbox<Context> = InboxEntries & {
  /** Connects the inbox to a receiver. `createReceiver` calls this. */
  attach(host: InboxHost<Context>): {
    readonly store: StoreDelivery
    /** The methods that the receiver gets. */
    readonly methods: InboxMethods & { stop(options?: StopOptions): Promise<void> }
  }
}
