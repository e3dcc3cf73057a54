import type { CallAiSummaryEvent } from '@wabakit/wire'

/** Options for a single call. */
export type RequestOptions = {
  /** Aborts the call at any stage. The call then rejects with `signal.reason` itself. */
  readonly signal?: AbortSignal | undefined
  /**
   * Time limit for one attempt, in milliseconds. The client's `totalTimeoutMs` still applies.
   * @default the client's `timeoutMs`
   */
  readonly timeoutMs?: number | undefined
  /** Additional headers. They override the client's. @default none */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** A source of received CALL_AI_SUMMARY events: a webhook receiver, or any object with this `subscribe` method. */
export type SummaryEvents = {
  /**
   * Calls `listener` with every CALL_AI_SUMMARY from now on.
   *
   * @returns a function that unsubscribes.
   */
  subscribe(name: 'CALL_AI_SUMMARY', listener: (event: CallAiSummaryEvent) => void): () => void
}

/** Options for `waitForSummary`. @interface */
export type WaitOptions = RequestOptions & {
  /** Maximum wait in milliseconds; `Infinity` for no limit. @default 120_000 */
  readonly maxWaitMs?: number | undefined
  /**
   * Minimum pause between two requests, in milliseconds. Up to half the interval is added at random, so that
   * concurrent waits spread their requests. A longer `Retry-After` replaces the interval. A shorter interval than the
   * default can exceed the limit that live services document: 30 requests per minute for each call.
   * @default 2_000
   */
  readonly intervalMs?: number | undefined
  /**
   * How long the service may return 404 before the wait rejects with a `NotFoundError`, in milliseconds;
   * `Infinity` for no limit. With `events`, the wait goes on, but requests the summary only once more, shortly before
   * `maxWaitMs`. @default 10_000
   */
  readonly notFoundGraceMs?: number | undefined
  /** Resolves the wait as soon as the summary's webhook arrives, without another request. @default none */
  readonly events?: SummaryEvents | undefined
}
