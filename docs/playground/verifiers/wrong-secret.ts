import { generateSecret, standardWebhooks } from 'wabakit/webhooks'

// The sender does not sign with this secret, so every delivery gets 401.
export const verify = standardWebhooks({ secrets: [generateSecret()] })
