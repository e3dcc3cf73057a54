import { findTracingChannel } from '@wabakit/wire'

/** The message on the tracing channel `wabakit.inbox`: one attempt to handle a stored event. */
export type InboxTrace = {
  /** The headers that the inbox keeps: the content type, and those that identify or trace the delivery, such as `traceparent`. */
  readonly headers: Headers
  /** The number of this attempt, from 1. */
  readonly attempt: number
  /** The name of the event, if it has one. */
  readonly eventName: string | undefined
  /**
   * The outcome, set at the end: `handled`, `failed` (it is attempted again), `unhandled`, `parked`, `discarded`, `suppressed` (a repeat),
   * `erased`, or `released` (the receiver was stopped). Unset if the claim was lost, the outcome could not be recorded, or
   * `onParked` threw.
   */
  outcome?: 'handled' | 'failed' | 'unhandled' | 'parked' | 'discarded' | 'suppressed' | 'erased' | 'released'
}

const channel = /* @__PURE__ */ findTracingChannel('wabakit.inbox')

/** Traces an attempt, if the channel has subscribers. */
export const traceAttempt = (trace: InboxTrace, work: () => Promise<void>): Promise<void> =>
  channel?.hasSubscribers ? channel.tracePromise(work, trace) : work()
