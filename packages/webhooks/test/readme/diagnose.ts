import { createReceiver, diagnose, isWebhookVerificationError, verifySignature } from 'wabakit/webhooks'

const secrets = [process.env.WABAKIT_WEBHOOK_SECRET ?? '']

export const receiver = createReceiver({
  verify: async ({ headers, body }) => {
    try {
      await verifySignature({ headers, payload: body, secrets })
      return true
    } catch (error) {
      if (isWebhookVerificationError(error)) {
        console.warn(error.reason, await diagnose({ headers, payload: body, secrets }))
      }
      throw error
    }
  },
})
