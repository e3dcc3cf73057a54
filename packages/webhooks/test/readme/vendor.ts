import {
  bearerAuth,
  createReceiver,
  memoryDedupe,
  standardWebhooks,
  staticHeader,
  urlToken,
} from 'wabakit/webhooks'

const { WABAKIT_WEBHOOK_SECRET = '', WEBHOOK_TOKEN = '' } = process.env

const verifiers = {
  // A live service, by its URL, or by what you registered
  url: () => urlToken({ token: WEBHOOK_TOKEN }),
  bearer: () => bearerAuth({ token: WEBHOOK_TOKEN }),
  header: () => staticHeader({ header: 'x-webhook-token', value: WEBHOOK_TOKEN }),
  // Our server and our mock
  signature: () => standardWebhooks({ secrets: [WABAKIT_WEBHOOK_SECRET] }),
}

export const createEndpoint = (sender: keyof typeof verifiers) =>
  createReceiver({ verify: verifiers[sender](), dedupe: memoryDedupe() })
