import { createReceiver, type Receiver, standardWebhooks } from 'wabakit/webhooks'

type Env = { readonly WABAKIT_WEBHOOK_SECRET: string }

let receiver: Receiver | undefined

export default {
  fetch: (request: Request, env: Env, context: object): Promise<Response> => {
    receiver ??= createReceiver({ verify: standardWebhooks({ secrets: [env.WABAKIT_WEBHOOK_SECRET] }) }).on(
      'CALL_AI_SUMMARY',
      (event) => console.log(event.callId, event.summary.recap),
    )
    return receiver.handle(request, context)
  },
}
