import type { Dedupe } from '../dedupe/dedupe.ts'
import { WebhookUsageError } from '../errors.ts'
import { assertAboveZero, assertFunction, assertOptions } from '../usage.ts'
import type { Verifier } from '../verifiers/verifier.ts'
import type { DeliveryContext } from './handlers.ts'
import type { Inbox } from './inbox.ts'
import type { WaitUntil } from './running.ts'

/** Options for {@link createReceiver}. */
export type ReceiverOptions<Context = DeliveryContext> = {
  /**
   * Verifies the sender. There is no default; to accept anyone, choose `unsigned()`. Only a receiver with an
   * inbox that takes all events from {@link InboxMethods.accept}, and no requests, can omit it.
   */
  readonly verify: Verifier
  /**
   * Remembers handled deliveries, so that a retry or a replay is not handled again.
   * @default none: every delivery is handled
   */
  readonly dedupe?: Dedupe | undefined
  /**
   * An inbox such as `sqlInbox(pool)`, which stores every verified delivery before the response. Handlers run
   * afterwards, in processes that call `receiver.start()` or `receiver.drain()`, and again if they fail. An
   * inbox replaces `dedupe`, `ack` and `waitUntil`.
   * @default none: handlers run before the response
   */
  readonly inbox?: Inbox<Context> | undefined
  /**
   * When the sender gets its 200: `after` the handlers succeed, or `before` they start. `before` loses the
   * event if the process dies or a handler fails, because the sender will not retry. `before` needs
   * `waitUntil` or `receiver.stop()`.
   * @default 'after'
   */
  readonly ack?: 'after' | 'before' | undefined
  /**
   * Keeps the host running until handlers have finished, such as `after` of `next/server` or `waitUntil` of
   * `@vercel/functions`. If your process runs until you stop it, pass `() => {}`, and call `receiver.stop()`
   * before it ends.
   * @default only the `waitUntil` of the object passed to `handle`, as in Cloudflare Workers
   */
  readonly waitUntil?: WaitUntil | undefined
  /**
   * Maximum size of a body in bytes. The response to a larger body is 413, and the rest of the body is dropped.
   * @default 1_048_576
   */
  readonly maxBodyBytes?: number | undefined
  /**
   * Time limit for receiving a body, in milliseconds. After that, the response is 408.
   * @default 10_000
   */
  readonly bodyTimeoutMs?: number | undefined
  /**
   * Time limit for every handler, in milliseconds. Handlers can be registered with their own limit.
   * @default no limit
   */
  readonly handlerTimeoutMs?: number | undefined
  /**
   * Milliseconds until a claim expires, if the process that handles the delivery dies. While handlers run,
   * the claim is renewed every third of this time. With `dedupe`, a sender that repeats the delivery in
   * the meantime gets a 409 with a `Retry-After` of a tenth of this time, 1 to 60 seconds.
   * @default 60_000
   */
  readonly claimTtlMs?: number | undefined
  /**
   * The clock, in milliseconds since the epoch. Secrets from a function are read again when it has advanced
   * by a minute.
   * @default Date.now
   */
  readonly now?: (() => number) | undefined
}

/**
 * Options for a receiver that takes events only from {@link InboxMethods.accept}. It has no `verify`, and
 * responds to every POST with 503.
 */
export type AcceptOnlyOptions<Context> = Omit<ReceiverOptions<Context>, 'verify' | 'inbox'> & {
  readonly verify?: undefined
  /** The inbox, such as `sqlInbox(pool)`, which stores every accepted event. */
  readonly inbox: Inbox<Context>
}

export type ReceiverSettings = ReturnType<typeof toSettings<DeliveryContext>>

/**
 * Checks the options and fills in the defaults.
 *
 * @throws WebhookUsageError for a missing, unknown or invalid option.
 * @throws RangeError when a limit or a time is not above 0.
 */
export const toSettings = <Context>(options: ReceiverOptions<Context> | AcceptOnlyOptions<Context>) => {
  assertOptions('createReceiver()', options, [
    'verify',
    'dedupe',
    'inbox',
    'ack',
    'waitUntil',
    'maxBodyBytes',
    'bodyTimeoutMs',
    'handlerTimeoutMs',
    'claimTtlMs',
    'now',
  ])
  const { dedupe, inbox, ack = 'after', waitUntil, handlerTimeoutMs, now } = options
  const verify = options.verify ?? inbox?.acceptOnly
  const { maxBodyBytes = 1_048_576, bodyTimeoutMs = 10_000, claimTtlMs = 60_000 } = options
  const limits = { maxBodyBytes, bodyTimeoutMs, handlerTimeoutMs, claimTtlMs }
  for (const [name, value] of Object.entries(limits)) assertAboveZero(name, value)
  if (inbox && (typeof inbox.attach !== 'function' || dedupe || options.ack || waitUntil)) {
    throw new WebhookUsageError('inbox must be sqlInbox(). It replaces dedupe, ack and waitUntil.')
  }
  if (typeof verify !== 'function') {
    throw new WebhookUsageError(
      'verify is required: urlToken(), standardWebhooks(), a function, or unsigned()',
    )
  }
  if (dedupe !== undefined && typeof Object(dedupe).claim !== 'function') {
    throw new WebhookUsageError('dedupe must be a store such as memoryDedupe(). Pass sqlInbox() as inbox.')
  }
  if (ack !== 'after' && ack !== 'before') throw new WebhookUsageError("ack must be 'after' or 'before'.")
  if (waitUntil !== undefined) assertFunction('waitUntil', waitUntil)
  if (now !== undefined) assertFunction('now', now)
  return { verify, dedupe, inbox, ack, waitUntil, now, ...limits }
}
