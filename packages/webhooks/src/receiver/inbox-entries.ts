/**
 * The state of an entry. `entries.ts` describes the transitions.
 *
 * - `stored`: waits for its first attempt.
 * - `claimed`: a process is handling it, or ended before it had handled it.
 * - `failed`: waits for its next attempt.
 * - `handled`: its handlers have succeeded.
 * - `unhandled`: a known event without a handler. It waits until a handler takes it, a duplicate replaces it, or it is
 *   retried or discarded.
 * - `parked`: every attempt failed, or this version does not understand it and no `onUnknown` or `onDrift` took it. It waits
 *   until it is retried, replaced by a duplicate or discarded, or, if it is unknown or has drifted, until a handler takes it.
 * - `suppressed`: reports the same fact as another entry that was handled or discarded, or is a missing summary whose event
 *   has arrived or was erased.
 * - `discarded`: given up by request, or because it has no handler, with `unhandled: 'discard'`.
 * - `missing`: a summary that has not arrived, so `reconcile` requests it.
 * - `unavailable`: a summary that can never exist, or that two requests did not find.
 * - `given_up`: a summary that was not fetched before the age limit, or whose call has no other entry left.
 * - `erased`: its content is deleted. For `retention.keyMs`, hashes are left, by which a repeat is recognized, and erased, too.
 */
export type InboxState =
  | 'stored'
  | 'claimed'
  | 'failed'
  | 'handled'
  | 'unhandled'
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
 * - `unreadable`: the body is not a JSON object, or has more bytes than the receiver's `maxBodyBytes`.
 */
export type ParkedReason = 'failed' | 'drifted' | 'unknown' | 'unreadable'

/** One received event. */
export type InboxEntry = {
  /** Its id in the inbox. Ids are in order of arrival, except those of missing summaries. */
  readonly id: string
  /** Its state. */
  readonly state: InboxState
  /** The reason for parking it. */
  readonly reason: ParkedReason | undefined
  /** The error of the last attempt; `not_found` for a missing summary that was not found. If the row is damaged: the columns that cannot be read, which have no values, and why. */
  readonly error: string | undefined
  /**
   * Its source: `webhook`, the `source` passed to `accept`, `reconcile` for a missing summary, or `erased`
   * for an erased call.
   */
  readonly source: string
  /** The sender's id, such as the `webhook-id`. */
  readonly deliveryId: string | undefined
  /** The name of the event, if it has a name. */
  readonly name: string | undefined
  /** The call or group: `call:<callId>` or `group:<groupId>`. A SHA-256 replaces an id that is too long or not visible ASCII. */
  readonly subject: string | undefined
  /** Number of attempts since it was stored, replaced by a duplicate, or retried by request; of a missing summary: of requests. */
  readonly attempts: number
  /** When it was stored. For a missing summary: when an event of its call was. */
  readonly receivedAt: Date
  /** When the sender sent it, if known. */
  readonly sentAt: Date | undefined
  /** When its next attempt or request is due, its claim expires, or its body or row is deleted. */
  readonly dueAt: Date
}

/** An entry with its body. @interface */
export type InboxEntryWithBody = InboxEntry & {
  /** The bytes that handlers get as `context.rawBody`; `undefined` when they are no longer kept or cannot be read. */
  readonly body: Uint8Array | undefined
}

/** Selects entries that meet every given condition. */
export type InboxSelection = {
  /** One id, or several. */
  readonly id?: string | readonly string[] | undefined
  /** A state. */
  readonly state?: InboxState | undefined
  /** The reason for parking the entries. */
  readonly reason?: ParkedReason | undefined
  /** The name of the event. */
  readonly name?: string | undefined
  /** The id of a call. */
  readonly callId?: string | undefined
  /** The id of a group. */
  readonly groupId?: string | undefined
}

/** The entries to count. */
export type InboxCounting<By extends 'state' | 'reason' = 'state' | 'reason'> = {
  /**
   * Counts by state, or counts parked entries by reason.
   * @default 'state'
   */
  readonly by?: By | undefined
  /**
   * Counts only entries that are stored, claimed or failed and arrived at least this many milliseconds ago.
   * @default counts all entries
   */
  readonly stuckForMs?: number | undefined
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

/** The call, group or phone number to erase. A number is compared by its digits. */
export type InboxErasure =
  | { readonly callId: string }
  | { readonly groupId: string }
  | { readonly number: string }

/**
 * Methods that list, count, retry, discard and erase entries. They do not need a receiver. Each of them also rejects with any
 * database error.
 */
export type InboxEntries = {
  /**
   * Lists entries in the order of their ids, damaged ones included.
   *
   * @throws WebhookUsageError for an unknown condition or option.
   * @throws RangeError when `limit` is not a whole number above 0.
   */
  list(selection?: InboxSelection, page?: InboxPage): Promise<readonly InboxEntry[]>
  /** Returns one entry with its body; `undefined` if there is no entry with this id. */
  show(id: string): Promise<InboxEntryWithBody | undefined>
  /**
   * Counts the entries of each state, or the parked entries of each reason. With `stuckForMs`, counts only
   * entries that have yet to be handled: alert when there are any.
   *
   * @throws WebhookUsageError for an unknown option or value of `by`.
   * @throws RangeError when `stuckForMs` is not above 0.
   */
  count<By extends 'state' | 'reason' = 'state'>(
    counting?: InboxCounting<By>,
  ): Promise<Readonly<Partial<Record<By extends 'state' ? InboxState : ParkedReason, number>>>>
  /**
   * Handles failed, unhandled, parked and suppressed entries again, with a new attempt count. A suppressed one is
   * handled even though its event was handled before. Entries whose body is no longer kept stay as they are.
   *
   * @returns the number of retried entries.
   * @throws WebhookUsageError for an unknown condition, or none.
   */
  retry(selection: InboxSelection): Promise<number>
  /**
   * Gives up stored, failed, unhandled, parked and suppressed entries. Forgets their bodies, but still recognizes duplicates.
   *
   * @returns the number of discarded entries.
   * @throws WebhookUsageError for an unknown condition, or none.
   */
  discard(selection: InboxSelection): Promise<number>
  /**
   * Erases everything about a call or a group, and every other entry that mentions its id. For a number,
   * which must include its country code, erases every entry that mentions it, and everything about the calls of these
   * entries. The number may be written in digits of any script, separated by anything but letters and digits, and escaped
   * for JSON, HTML or a URL. It is not found without its country code, split into several fields, in words, or in another
   * encoding, such as Base64. Reads all bodies. Hashes are kept for `retention.keyMs`, so that
   * neither a duplicate nor `reconcile` brings the events back.
   *
   * @returns the number of erased entries.
   * @throws WebhookUsageError for a number without digits.
   * @throws Error that names the entries that the database cannot read, such as damaged ones, after it has erased all others.
   */
  erase(what: InboxErasure): Promise<number>
}
