import { bearerAuth, createReceiver, memoryDedupe, standardWebhooks, staticHeader } from 'wabakit/webhooks'

const { WABAKIT_WEBHOOK_SECRET = '', WEBHOOK_TOKEN = '' } = process.env

const verifiers = {
  // A live service, by what you registered
  bearer: () => bearerAuth({ token: WEBHOOK_TOKEN }),
  header: () => staticHeader({ header: 'x-webhook-token', value: WEBHOOK_TOKEN }),
  // Our server and our mock
  signature: () => standardWebhooks({ secrets: [WABAKIT_WEBHOOK_SECRET] }),
}

export const createEndpoint = (sender: keyof typeof verifiers) =>
  createReceiver({ verify: verifiers[sender](), dedupe: memoryDedupe() })
