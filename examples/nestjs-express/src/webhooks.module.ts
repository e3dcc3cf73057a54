import type { IncomingMessage, ServerResponse } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import {
  Controller,
  Inject,
  Injectable,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  Post,
  Req,
  Res,
} from '@nestjs/common'
import { createReceiver, type InboxContext, type Receiver, sqlInbox, urlToken } from 'wabakit/webhooks'
import { toNodeHandler } from 'wabakit/webhooks/node'

@Injectable()
export class Summaries {
  print(callId: string, recap: string) {
    console.log(callId, recap)
  }
}

@Injectable()
export class Webhooks implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly receiver: Receiver<InboxContext<never, DatabaseSync>>
  private readonly database = new DatabaseSync(process.env.DATABASE ?? 'webhooks.db')

  constructor(@Inject(Summaries) summaries: Summaries) {
    this.receiver = createReceiver({
      verify: urlToken({ token: () => process.env.WEBHOOK_TOKEN ?? '' }),
      inbox: sqlInbox(this.database, { dialect: 'sqlite' }),
    }).on('CALL_AI_SUMMARY', (event) => summaries.print(event.callId, event.summary.recap))
  }

  onApplicationBootstrap() {
    this.receiver.start()
  }

  // Nest calls it after the server has stopped listening.
  async onApplicationShutdown() {
    await this.receiver.stop()
    this.database.close()
  }
}

@Controller('webhooks')
export class WebhooksController {
  private readonly handle: ReturnType<typeof toNodeHandler>

  constructor(@Inject(Webhooks) webhooks: Webhooks) {
    this.handle = toNodeHandler(webhooks.receiver)
  }

  @Post()
  receive(@Req() request: IncomingMessage, @Res() response: ServerResponse) {
    return this.handle(request, response)
  }
}

@Module({ providers: [Summaries, Webhooks], controllers: [WebhooksController], exports: [Webhooks] })
export class WebhooksModule {}
