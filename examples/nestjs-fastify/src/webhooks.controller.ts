import { Controller, Post, Req, Res } from '@nestjs/common'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createReceiver, memoryDedupe, urlToken } from 'wabakit/webhooks'
import { toNodeHandler } from 'wabakit/webhooks/node'

const receiver = createReceiver({
  verify: urlToken({ token: () => process.env.WEBHOOK_TOKEN ?? '' }),
  dedupe: memoryDedupe(),
}).on('CALL_AI_SUMMARY', (event) => console.log(event.callId, event.summary.recap))
const handleWebhook = toNodeHandler(receiver)

@Controller('webhooks')
export class WebhooksController {
  @Post()
  receive(@Req() request: FastifyRequest, @Res() response: FastifyReply) {
    return handleWebhook(request, response)
  }
}
