import Koa from 'koa'
import { createReceiver, memoryDedupe, urlToken } from 'wabakit/webhooks'
import { toNodeHandler } from 'wabakit/webhooks/node'

const receiver = createReceiver({
  verify: urlToken({ token: () => process.env.WEBHOOK_TOKEN ?? '' }),
  dedupe: memoryDedupe(),
}).on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))
const handleWebhook = toNodeHandler(receiver)

const app = new Koa()
app.use((context, next) => {
  if (context.path !== '/webhooks') return next()
  context.respond = false
  return handleWebhook(context.req, context.res)
})
app.listen(Number(process.env.PORT))
