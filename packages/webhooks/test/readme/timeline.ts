import { createCallTracker, createReceiver, standardWebhooks, type TrackedCall } from 'wabakit/webhooks'

const tracker = createCallTracker()
const calls = new Map<string, TrackedCall>()

export const receiver = createReceiver({
  verify: standardWebhooks({ secrets: [process.env.WABAKIT_WEBHOOK_SECRET ?? ''] }),
}).onAny((event) => {
  if (!('callId' in event)) return
  const { record, stateChanged } = tracker.apply(calls.get(event.callId), event)
  calls.set(event.callId, record)
  if (stateChanged) console.log(record.callId, record.state, record.summary?.recap ?? '')
})
