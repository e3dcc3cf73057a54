import { findTracingChannel } from '@wabakit/wire'
import type { DeliveryRecord } from '../records.ts'
import { keepTraceparent } from './keep-traceparent.ts'

/** The message on the tracing channel `wabakit.delivery`: one attempt. */
export type DeliveryTrace = {
  /** The delivery. `attempts` is the number of earlier attempts. */
  readonly delivery: DeliveryRecord
  /** The subscription's URL. The values of its query are masked. */
  readonly url: string
  /**
   * Headers that the attempt sends: the `traceparent` of the request that caused the event, if it had one. A
   * subscriber to `start` may change them.
   */
  readonly headers: Record<string, string>
  /** The response. Set when there is one. */
  result?: unknown
  /** Why there is no response. Set when there is none. */
  error?: unknown
}

const channel = findTracingChannel('wabakit.delivery')

/** Traces an attempt, if the channel has subscribers. */
export const traceDelivery = <Result>(trace: DeliveryTrace, work: () => Promise<Result>): Promise<Result> => {
  keepTraceparent()
  return channel?.hasSubscribers ? channel.tracePromise(work, trace) : work()
}
