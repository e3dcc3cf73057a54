import { DatabaseSync } from 'node:sqlite'
import { createReceiver, sqlInbox, urlToken } from 'wabakit/webhooks'

export const receiver = createReceiver({
  verify: urlToken({ token: () => process.env.WEBHOOK_TOKEN ?? '' }),
  inbox: sqlInbox(new DatabaseSync(process.env.DATABASE ?? 'webhooks.db'), { dialect: 'sqlite' }),
})
  .on('CALL_AI_SUMMARY', async (event, context) => {
    console.log(context.delivery.key, event.callId, event.summary.recap)
  })
  .on(['GROUP_PARTICIPANT_JOINED', 'GROUP_PARTICIPANT_LEFT'], async (event) => {
    console.log(event.event, event.groupId)
  })
  .onError((error, { stage }) => console.warn(stage, String(error)))

receiver.start()

export const POST = receiver.handle
