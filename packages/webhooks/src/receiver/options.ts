import type { Dedupe, Inbox } from '../dedupe/dedupe.ts'
import type { Verifier } from '../verifiers/verifier.ts'

/** Options for {@link createReceiver}. */
export type ReceiverOptions<Transaction = undefined> = {
  /** Decides who may send. There is no default; to accept anyone, choose `unsigned()`. */
  readonly verify: Verifier
  /**
   * Remembers handled deliveries, so that a retry or a replay is not handled again. An inbox, such as
   * `sqlInbox(pool)`, remembers them in the transaction that handlers get as `context.transaction`.
   * @default none: every delivery is handled
   */
  readonly dedupe?: Dedupe | Inbox<Transaction>
  /**
   * When the sender gets its 200: `after` the handlers succeed, or `before` they start. `before` loses the event if the
   * process dies or a handler fails, because the sender will not try again. Not possible with an inbox.
   * @default 'after'
   */
  readonly ack?: 'after' | 'before'
  /**
   * Maximum size of a body in bytes. The response to a larger one is 413, and the rest is not read.
   * @default 1_048_576
   */
  readonly maxBodyBytes?: number
  /**
   * Milliseconds in which a body must arrive completely. After that, the response is 408.
   * @default 10_000
   */
  readonly bodyTimeoutMs?: number
  /**
   * Time limit of every handler in milliseconds. Handlers can be registered with their own limit.
   * @default no limit
   */
  readonly handlerTimeoutMs?: number
  /**
   * Milliseconds until a claim expires, if the process that handles the delivery dies. While handlers run, the claim is
   * renewed every third of this time. An inbox has no claims. A sender that repeats the delivery meanwhile is asked by
   * `Retry-After` to wait for a tenth of this time, 1 to 60 seconds.
   * @default 60_000
   */
  readonly claimTtlMs?: number
  /**
   * The clock, in milliseconds since the epoch.
   * @default Date.now
   */
  readonly now?: () => number
}

/** The options with defaults filled in. */
export type ReceiverSettings<Transaction> = Required<Omit<ReceiverOptions, 'dedupe' | 'handlerTimeoutMs'>> &
  Pick<ReceiverOptions<Transaction>, 'dedupe' | 'handlerTimeoutMs'>

/** @throws RangeError when a limit or a time is not above 0. NaN would disable it. */
export const assertAboveZero = (name: string, value: number | undefined): void => {
  if (value !== undefined && !(value > 0)) throw new RangeError(`${name} must be above 0, not ${value}`)
}

/**
 * Fills in the defaults.
 *
 * @throws TypeError when `verify` is not a function, or for an inbox with `ack: 'before'`.
 * @throws RangeError when a limit or a time is not above 0.
 */
export const toSettings = <Transaction>(
  options: ReceiverOptions<Transaction>,
): ReceiverSettings<Transaction> => {
  const settings: ReceiverSettings<Transaction> = {
    ack: 'after',
    maxBodyBytes: 1_048_576,
    bodyTimeoutMs: 10_000,
    claimTtlMs: 60_000,
    now: () => Date.now(),
    ...options,
  }
  if (typeof settings.verify !== 'function') {
    throw new TypeError(
      'verify is required: standardWebhooks(…), staticHeader(…), basicAuth(…), a function, or unsigned()',
    )
  }
  if (settings.ack === 'before' && settings.dedupe && 'transact' in settings.dedupe) {
    throw new TypeError("An inbox commits before it responds. Use ack: 'after'.")
  }
  for (const name of ['maxBodyBytes', 'bodyTimeoutMs', 'claimTtlMs', 'handlerTimeoutMs'] as const) {
    assertAboveZero(name, settings[name])
  }
  return settings
}
