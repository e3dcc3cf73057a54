export {
  isWebhookVerificationError,
  type VerificationDetails,
  type VerificationFailure,
  WebhookVerificationError,
} from './errors/webhook-verification-error.ts'
export type { WebhookPayload } from './payload.ts'
export { type GenerateSecretOptions, generateSecret } from './secret.ts'
export { type SignedWebhook, type SignWebhookOptions, signWebhook } from './sign.ts'
