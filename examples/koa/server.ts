import { DatabaseSync } from 'node:sqlite'
import Koa from 'koa'
import { createReceiver, sqlInbox, urlToken } from 'wabakit/webhooks'
import { toNodeHandler } from 'wabakit/webhooks/node'

const receiver = createReceiver({
  verify: urlToken({ token: () => process.env.WEBHOOK_TOKEN ?? '' }),
  inbox: sqlInbox(new DatabaseSync(process.env.DATABASE ?? 'webhooks.db'), { dialect: 'sqlite' }),
}).on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))
const handleWebhook = toNodeHandler(receiver)

const app = new Koa()
app.use((context, next) => {
  if (context.path !== '/webhooks') return next()
  context.respond = false
  return handleWebhook(context.req, context.res)
})
receiver.start()
app.listen(Number(process.env.PORT ?? 3000))
