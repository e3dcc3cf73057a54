import { createLiveStream, type LiveStream } from '@wabakit/core/control'
import type { Tenant } from '../tenant/create-tenant.ts'
import { afterRealTime } from '../time/timers.ts'

/** The stream of each tenant that has one, by the signal that ends it. */
const streams = new WeakMap<AbortSignal, LiveStream>()

/**
 * Opens a live stream of a tenant's events and attempts, which ends when the tenant is reset or closed.
 *
 * @param after - the id of the event to start after; `undefined` for new events only.
 */
export const openLiveStream = async (
  tenant: Tenant,
  after: string | undefined,
): Promise<ReadableStream<Uint8Array>> => {
  const { signal, ...followed } = await tenant.openStreamed()
  let live = streams.get(signal)
  if (live === undefined) {
    live = createLiveStream({ ...followed, after: afterRealTime, onError: console.error })
    signal.addEventListener('abort', live.close)
    streams.set(signal, live)
  }
  return live.open({ organizationId: tenant.handles.organizationId, after })
}
