import type { Dedupe } from '../dedupe/dedupe.ts'
import type { Inbox } from '../dedupe/inbox.ts'
import type { Verifier } from '../verifiers/verifier.ts'

/** Options of {@link createReceiver}. */
export type ReceiverOptions<Transaction = undefined> = {
  /** Decides who may send. There is no default: `unsigned()` says in words that anybody may. */
  readonly verify: Verifier
  /**
   * Where handled deliveries are remembered, so that a retry or a replay is not handled again. An inbox, such as
   * `sqlInbox(pool)`, remembers them in the transaction that handlers find in their `context`.
   * @default none: every delivery is handled
   */
  readonly dedupe?: Dedupe | Inbox<Transaction>
  /**
   * When the sender gets its 200: `after` the handlers are done, or `before` they start. `before` loses the event if
   * the process dies or a handler fails, because the sender will not send it again. Not possible with an inbox.
   * @default 'after'
   */
  readonly ack?: 'after' | 'before'
  /**
   * Most bytes of a body; more answers 413 without reading on.
   * @default 1_048_576
   */
  readonly maxBodyBytes?: number
  /**
   * Milliseconds until all of a body must have arrived; later answers 408.
   * @default 10_000
   */
  readonly bodyTimeoutMs?: number
  /**
   * Milliseconds that a handler has, unless it was registered with a time of its own.
   * @default no limit
   */
  readonly handlerTimeoutMs?: number
  /**
   * Milliseconds until a delivery whose process died while handling it may be claimed again. While handlers run, the
   * claim is renewed every third of this time. An inbox does not need it.
   * @default 60_000
   */
  readonly claimTtlMs?: number
  /**
   * The clock, in milliseconds since the epoch.
   * @default Date.now
   */
  readonly now?: () => number
}

/** The options with their defaults. */
export type ReceiverSettings<Transaction> = Required<Omit<ReceiverOptions, 'dedupe' | 'handlerTimeoutMs'>> &
  Pick<ReceiverOptions<Transaction>, 'dedupe' | 'handlerTimeoutMs'>

/** @throws RangeError when a limit or a time is not above 0: NaN would switch it off. */
export const assertAboveZero = (name: string, value: number | undefined): void => {
  if (value !== undefined && !(value > 0)) throw new RangeError(`${name} must be above 0, not ${value}`)
}

/**
 * Fills in the defaults.
 *
 * @throws TypeError when `verify` is not a function, or when an inbox is to be used after an early response.
 * @throws RangeError when a limit or a time is not above 0.
 */
export const settingsOf = <Transaction>(
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
