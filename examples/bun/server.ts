import { createReceiver, memoryDedupe, urlToken } from 'wabakit/webhooks'

const receiver = createReceiver({
  verify: urlToken({ token: () => process.env.WEBHOOK_TOKEN ?? '' }),
  dedupe: memoryDedupe(),
})
  .on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))
  // Without an inbox, these would be lost: a 422 may be the last time that a live service sends an event.
  .onDrift(({ name, raw }) => console.warn('drifted', name, JSON.stringify(raw)))
  .onUnknown(({ name, raw }) => console.warn('unknown', name, JSON.stringify(raw)))

Bun.serve({ port: process.env.PORT, routes: { '/webhooks': receiver.handle } })
