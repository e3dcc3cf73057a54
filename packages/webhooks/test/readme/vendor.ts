import { basicAuth, createReceiver, memoryDedupe, standardWebhooks, staticHeader } from 'wabakit/webhooks'

const { WABAKIT_WEBHOOK_SECRET = '', WEBHOOK_TOKEN = '', WEBHOOK_PASSWORD = '' } = process.env

const verifiers = {
  // Our server and our mock
  signature: () => standardWebhooks({ secrets: [WABAKIT_WEBHOOK_SECRET] }),
  // A live service, by what you set on its subscription
  header: () => staticHeader({ header: 'x-webhook-token', value: WEBHOOK_TOKEN }),
  basic: () => basicAuth({ username: 'wabakit', password: WEBHOOK_PASSWORD }),
}

export const createEndpoint = (sender: keyof typeof verifiers) =>
  createReceiver({ verify: verifiers[sender](), dedupe: memoryDedupe() })
