import { standardWebhooks } from 'wabakit/webhooks'

const secrets = [process.env.WABAKIT_WEBHOOK_SECRET, process.env.WABAKIT_PREVIOUS_SECRET]

export const verify = standardWebhooks({ secrets: secrets.filter((secret) => secret !== undefined) })
