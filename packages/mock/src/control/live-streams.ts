import { createLiveStream, type LiveStream } from '@wabakit/core/control'
import type { Tenant } from '../tenant/create-tenant.ts'
import { afterRealTime } from '../time/timers.ts'

/** The stream of each tenant that has one, by the signal that ends it. */
const streams = new WeakMap<AbortSignal, LiveStream>()

/** Opens a live stream of events and attempts, which ends when the tenant is reset or closed. */
export const openLiveStream = async (
  tenant: Tenant,
  start: Parameters<LiveStream['open']>[0],
): Promise<ReadableStream<Uint8Array>> => {
  const { signal, ...followed } = await tenant.openStreamed()
  let live = streams.get(signal)
  if (live === undefined) {
    live = createLiveStream({ ...followed, after: afterRealTime, onError: console.error })
    signal.addEventListener('abort', live.close)
    streams.set(signal, live)
  }
  return live.open(start)
}
