import type { Store } from '../store.ts'

/**
 * Wraps a store so that CALL_ENDED of a call without a recording has an empty `recordingUrl`.
 *
 * @param onUnrecorded - called with the id of such a call, before its event is reported.
 */
export const markUnrecorded = (store: Store, onUnrecorded: (callId: string) => void = () => {}): Store => ({
  ...store,
  saveCall: (change) => {
    const { call, event } = change
    if (call.recorded !== false || event === null) return store.saveCall(change)
    onUnrecorded(call.callId)
    const payload = JSON.stringify({ ...JSON.parse(event.payload), recordingUrl: '' })
    return store.saveCall({ call, event: { ...event, payload } })
  },
})
