import type { JsonObject } from './schemas.ts'

type WebhookHeader = { readonly description: string; readonly schema: JsonObject; readonly example: string }

/** The headers of a delivery (Standard Webhooks 1.0, "Webhook Headers"). */
export const webhookHeaders: { readonly [name: string]: WebhookHeader } = {
  'webhook-id': {
    description: 'Identifies the event: the same on every attempt. Use it to recognise a repetition.',
    schema: { type: 'string' },
    example: 'evt_01K8ZQE5Y0J3N8MBRC2H7TWXAF',
  },
  'webhook-timestamp': {
    description: 'When this attempt was sent, in seconds since 1970. Refuse what is minutes old or ahead.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
    example: '1767607242',
  },
  'webhook-signature': {
    description:
      'One or more signatures, separated by spaces: `v1,` and the base64 of the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`. Accept the delivery when one of them is right; there are two while a secret is being rotated.',
    schema: { type: 'string', pattern: '^\\S+,\\S+(?: \\S+,\\S+)*$' },
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
}
