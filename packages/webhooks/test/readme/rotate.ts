import { standardWebhooks } from 'wabakit/webhooks'

const secrets = [process.env.WEBHOOK_SECRET, process.env.WEBHOOK_SECRET_PREVIOUS]

export const verify = standardWebhooks({ secrets: secrets.filter((secret) => secret !== undefined) })
