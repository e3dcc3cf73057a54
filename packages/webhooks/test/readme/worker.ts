import { createReceiver, type Receiver, urlToken } from 'wabakit/webhooks'

type Env = { readonly WEBHOOK_TOKEN: string }

let receiver: Receiver | undefined

export default {
  fetch: (request: Request, env: Env, context: object): Promise<Response> => {
    receiver ??= createReceiver({ verify: urlToken({ token: env.WEBHOOK_TOKEN }) }).on(
      'CALL_AI_SUMMARY',
      (event) => console.log(event.callId, event.summary.recap),
    )
    return receiver.handle(request, context)
  },
}
