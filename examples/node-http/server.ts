import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { createReceiver, sqlInbox, urlToken } from 'wabakit/webhooks'
import { toNodeHandler } from 'wabakit/webhooks/node'

const receiver = createReceiver({
  verify: urlToken({ token: () => process.env.WEBHOOK_TOKEN ?? '' }),
  inbox: sqlInbox(new DatabaseSync(process.env.DATABASE ?? 'webhooks.db'), { dialect: 'sqlite' }),
}).on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))

receiver.start()
createServer(toNodeHandler(receiver)).listen(process.env.PORT ?? 3000)
