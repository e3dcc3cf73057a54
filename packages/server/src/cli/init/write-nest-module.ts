import { type Memory, writeHandlers } from './receiver-parts.ts'
import type { Sender } from './senders.ts'

const indent = (text: string): string => text.replaceAll(/\n(?=.)/g, '\n  ')

/** Writes a module of NestJS, in which the receiver is injectable, and starts and stops with the application. */
export const writeNestModule = ({
  sender,
  memory: { name, imports, database, option, close },
}: {
  readonly sender: Sender
  readonly memory: Memory
}): string => {
  const hasInbox = close !== undefined
  const hooks = [...(hasInbox ? ['OnApplicationBootstrap'] : []), 'OnApplicationShutdown']
  const functions = ['createReceiver', name, sender.verifier].toSorted()
  const types = hooks.map((hook) => `type ${hook}`)
  return `import type { IncomingMessage, ServerResponse } from 'node:http'
import { Controller, Inject, Injectable, Module, ${types.join(', ')}, Post, Req, Res } from '@nestjs/common'
${imports}import { ${functions.join(', ')} } from 'wabakit/webhooks'
import { toNodeHandler } from 'wabakit/webhooks/node'

// Handlers can use what Nest injects: constructor(@Inject(OrdersService) private readonly orders: OrdersService) {}
@Injectable()
export class Webhooks implements ${hooks.join(', ')} {
${hasInbox ? `  readonly database = ${database}\n` : ''}  readonly receiver = ${indent(`createReceiver({
  verify: ${sender.verify(`process.env.${sender.variable} ?? ''`)},
  ${option('this.database')}
})${writeHandlers(hasInbox)}`)}
${
  hasInbox
    ? `  onApplicationBootstrap() {
    this.receiver.start()
  }

`
    : ''
}  // app.enableShutdownHooks() lets SIGTERM call it, after the server has stopped listening.
  async onApplicationShutdown() {
    await this.receiver.stop()
${hasInbox ? `    await this.database.${close}\n` : ''}  }
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

@Module({ providers: [Webhooks], controllers: [WebhooksController], exports: [Webhooks] })
export class WebhooksModule {}
`
}
