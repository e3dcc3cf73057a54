import type { CallAiSummaryEvent } from '@wabakit/contract'
import type { RequestOptions } from './client-options.ts'

/** Where a received CALL_AI_SUMMARY can be heard of: a webhook receiver, or anything with its `subscribe`. */
export type SummaryEvents = {
  /** Calls `listener` for every such event from now on, until the returned function is called. */
  subscribe(name: 'CALL_AI_SUMMARY', listener: (event: CallAiSummaryEvent) => void): () => void
}

/** Options of `waitForSummary`. */
export type WaitOptions = RequestOptions & {
  /** The longest wait in milliseconds; `Infinity` for none. @default 120_000 */
  readonly maxWaitMs?: number | undefined
  /**
   * The shortest pause between two requests, in milliseconds. Up to half of it is added at random, so that many
   * waiters do not march in step; a longer `Retry-After` takes its place. @default 2_000
   */
  readonly intervalMs?: number | undefined
  /** Ends the wait as soon as the summary's webhook arrives, without another request. @default none */
  readonly events?: SummaryEvents | undefined
}
