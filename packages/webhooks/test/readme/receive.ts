import { bearerAuth, createReceiver, memoryDedupe } from 'wabakit/webhooks'

export const receiver = createReceiver({
  verify: bearerAuth({ token: () => process.env.WEBHOOK_TOKEN ?? '' }),
  dedupe: memoryDedupe(),
})
  .on('CALL_AI_SUMMARY', async (event, context) => {
    console.log(context.delivery.key, event.callId, event.summary.recap)
  })
  .on(['GROUP_PARTICIPANT_JOINED', 'GROUP_PARTICIPANT_LEFT'], async (event) => {
    console.log(event.event, event.groupId)
  })
  .onError((error, { stage }) => console.warn(stage, String(error)))

export const POST = receiver.handle
