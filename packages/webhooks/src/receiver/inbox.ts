import type { SummaryRecord } from '@wabakit/wire'
import type { WebhookPayload } from '../bytes.ts'
import type { Verifier } from '../verifiers/verifier.ts'
import type { ErrorListener } from './failures.ts'
import type { DeliveryContext, Handlers } from './handlers.ts'
import type { InboxEntries } from './inbox-entries.ts'
import type { StopOptions } from './running.ts'

/** The second argument of handlers of a receiver with an inbox. */
export type InboxContext<Client = never, Database = never> = DeliveryContext & {
  /** This attempt. */
  readonly attempt: DeliveryContext['attempt'] & {
    /** The number of this attempt, from 1. */
    readonly number: number
  }
  /**
   * Returns a client in a transaction, on PostgreSQL and MySQL. All handlers of the event share both. The
   * inbox commits the transaction with the completion of the entry, and only if all handlers succeed and the
   * claim is still held. Do not commit, roll back or release the client yourself.
   *
   * @throws WebhookUsageError on SQLite.
   * @throws Error when the attempt has ended.
   * @throws any database error.
   */
  transaction(): Promise<Client>
  /**
   * Adds a function to the transaction that completes the entry, on SQLite. The function runs if all handlers
   * of the event succeed and the claim is still held. It must be synchronous. If it throws, the attempt
   * fails, and nothing is written.
   *
   * @throws WebhookUsageError on other databases, and when the attempt has ended: all handlers of the event have
   *   returned or timed out, or `stop` no longer waits for them.
   */
  atCompletion(write: (database: Database) => unknown): void
}

/** Options for {@link InboxMethods.accept}. */
export type AcceptOptions = {
  /**
   * The id of the message, by which duplicates within the source are recognized. Without an id, or with an
   * empty one, duplicates are recognized as for webhooks without an id.
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
   * Milliseconds after which this call begins no further claim of entries. It still waits for the handlers that it has started.
   * @default no limit
   */
  readonly maxMs?: number | undefined
}

/** The result of {@link InboxMethods.drain}. */
export type DrainResult = {
  /**
   * Number of entries that this receiver's handlers completed during the call: 0 if they all failed or
   * nothing was due.
   */
  readonly handled: number
  /** Number of entries that are stored, claimed or failed. */
  readonly remaining: number
  /**
   * The earliest time at which one of these entries may be due, now if one can be handled already; `undefined` when no entry is
   * left.
   */
  readonly nextDueAt: Date | undefined
}

/** The methods that a receiver has only with an inbox. */
export type InboxMethods = {
  /**
   * Handles stored events in this process, until `stop`. Any number of processes may call `start`. On
   * PostgreSQL and MySQL, the inbox then keeps two of the pool's connections.
   */
  start(): void
  /**
   * Handles everything that is due, and resolves when no handler is running. Use it in tests, cron jobs and
   * serverless hosts.
   *
   * @throws RangeError when `maxMs` is not 0 or more.
   * @throws any database error.
   */
  drain(options?: DrainOptions): Promise<DrainResult>
  /**
   * Stores an event from a queue, a bus or a file. The event is not verified, so the caller must vouch for
   * it. Acknowledge the message when the promise resolves.
   *
   * @throws TypeError when the body is neither text nor bytes.
   * @throws WebhookUsageError for an unknown option, or one that is not a string.
   * @throws any database error. In that case, the event may not be stored, so the message must be delivered again.
   */
  accept(body: WebhookPayload, options?: AcceptOptions): Promise<StoreOutcome>
  /**
   * Requests missing summaries of calls that have another stored event, and stores the summaries that exist. It requests
   * none for a call that was missed or rejected. Call this method every few minutes, in any number of processes. Only one
   * process sends requests at a time.
   *
   * A summary that is not ready (202) is requested again after one minute (or `olderThanMs`, if that is
   * less), and then after twice the previous delay, up to 6 hours: about 20 requests in 3 days. A longer `Retry-After`
   * of the response takes the place of a delay. The same applies to one that is not found (404), if an event identifies the
   * call as a PSTN call. Any other summary that is not found is requested once more after a day, because a live service
   * always returns 404 for a WhatsApp call; after that, its entry is `unavailable`, as after a 422. At the age limit, an
   * entry becomes `given_up`. After a 429 or a 403, the run ends. A 403 is reported to `onError`.
   *
   * @param client - the client of the service, as `createClient` returns it.
   * @throws WebhookUsageError for an unknown option.
   * @throws RangeError when `maxAgeMs` is not less than `retention.keyMs`, or a time is not above 0.
   * @throws any other error from the client or the database.
   */
  reconcile(client: SummaryClient, options: ReconcileOptions): Promise<Reconciled>
}

/** The part of a client of the service that the inbox uses. `createClient` returns such a client. */
export type SummaryClient = {
  readonly calls: {
    getSummary(callId: string, options?: { readonly signal?: AbortSignal }): PromiseLike<SummaryRecord>
  }
}

/** Options for `receiver.reconcile()`. */
export type ReconcileOptions = {
  /** Minimum time from the first event of a call until its missing summary is requested, in milliseconds. */
  readonly olderThanMs: number
  /**
   * Time from the first event of a call until its summary is given up, in milliseconds. It must be less than
   * `retention.keyMs`.
   * @default 259_200_000 (3 days)
   */
  readonly maxAgeMs?: number | undefined
  /**
   * Milliseconds from the end of a request to the next one.
   * @default 1_000
   */
  readonly intervalMs?: number | undefined
  /** Ends the run early when it aborts. During a request, the run then rejects with its reason. */
  readonly signal?: AbortSignal | undefined
}

/** The result of one run of `receiver.reconcile()`: the number of requests, their outcomes, and what was given up. */
export type Reconciled = {
  /** Number of requests. */
  readonly asked: number
  /** Number of summaries that were fetched and stored. */
  readonly accepted: number
  /** Number of times that a summary was not ready (202). */
  readonly pending: number
  /** Number of times that a summary was not found (404). A live service returns this for every WhatsApp call. */
  readonly notFound: number
  /** Number of summaries that can never exist (422). */
  readonly unavailable: number
  /** 1 if the run ended because the request was denied (403), such as for a wrong key or an organization without PSTN calling. */
  readonly denied: number
  /** 1 if the run ended at the rate limit (429). */
  readonly limited: number
  /** Number of summaries that were not requested any more, because of the age limit or because their calls have no other entry left. */
  readonly givenUp: number
}

/** A verified delivery to store. */
export type InboxDelivery = {
  readonly id: string | undefined
  /** The source of the event, `webhook` by default. */
  readonly source?: string | undefined
  readonly body: Uint8Array
  readonly bodyWasParsed?: boolean | undefined
  readonly sentAt?: Date | undefined
  readonly headers?: Headers | undefined
  readonly verifiedBy?: readonly string[] | undefined
}

/** Stores a verified delivery. Never rejects: reports a failure. If the database was too slow, it may still store the delivery. */
export type StoreDelivery = (delivery: InboxDelivery) => Promise<StoreOutcome | 'unavailable'>

/** The parts of a receiver that an inbox uses. */
export type InboxHost<Context> = {
  readonly handlers: Handlers<Context>
  readonly report: ErrorListener
  readonly claimTtlMs: number
  readonly maxBodyBytes: number
}

/** Stores received events before they are handled. {@link sqlInbox} creates an inbox. */
export type Inbox<Context> = InboxEntries & {
  /** Refuses every request, before its body is read, for a receiver that has no `verify`. */
  readonly acceptOnly: Verifier
  /** Connects the inbox to a receiver. `createReceiver` calls this. @internal */
  attach(host: InboxHost<Context>): {
    readonly store: StoreDelivery
    /** The methods that the receiver gets. */
    readonly methods: InboxMethods & { stop(options?: StopOptions): Promise<void> }
  }
}
