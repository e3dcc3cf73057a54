import type { Dedupe } from '../dedupe/dedupe.ts'
import type { Verifier } from '../verifiers/verifier.ts'

/** Options of {@link createReceiver}. */
export type ReceiverOptions = {
  /** Decides who may send. There is no default: `unsigned()` says in words that anybody may. */
  readonly verify: Verifier
  /**
   * Where handled deliveries are remembered, so that a retry or a replay is not handled again.
   * @default none: every delivery is handled
   */
  readonly dedupe?: Dedupe
  /**
   * When the sender gets its 200: `after` the handlers are done, or `before` they start. `before` loses the event if
   * the process dies, because the sender will not send it again.
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
   * Milliseconds until the claim of a delivery whose process died may be claimed again. It must be longer than
   * handlers take.
   * @default 60_000
   */
  readonly claimTtlMs?: number
  /**
   * The clock, in milliseconds since the epoch.
   * @default Date.now
   */
  readonly now?: () => number
}
