import type { JsonObject } from './schemas.ts'

type WebhookHeader = { readonly description: string; readonly schema: JsonObject; readonly example: string }

/** Headers of a webhook (Standard Webhooks 1.0, "Webhook Headers"). */
export const webhookHeaders: { readonly [name: string]: WebhookHeader } = {
  'webhook-id': {
    description: 'Identifies the event. It is the same on every attempt: use it to detect duplicates.',
    schema: { type: 'string' },
    example: 'evt_01K8ZQE5Y0J3N8MBRC2H7TWXAF',
  },
  'webhook-timestamp': {
    description:
      'When this attempt was sent, in seconds since the Unix epoch. Reject timestamps more than a few minutes in the past or future.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
    example: '1767607242',
  },
  'webhook-signature': {
    description:
      'One or more signatures, separated by spaces. Each is `v1,` followed by the base64-encoded HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`. Accept the webhook if any signature matches. There are two while a secret is being rotated.',
    schema: { type: 'string', pattern: '^\\S+,\\S+(?: \\S+,\\S+)*$' },
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
}
