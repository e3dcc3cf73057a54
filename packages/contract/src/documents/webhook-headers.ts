/** Headers of a webhook (Standard Webhooks 1.0, "Webhook Headers"; W3C Trace Context). */
export const webhookHeaders = {
  'webhook-id': {
    required: true,
    description: 'Identifies the event. It is the same on every attempt: use it to detect duplicates.',
    schema: { type: 'string' },
    example: 'evt_01K8ZQE5Y0J3N8MBRC2H7TWXAF',
  },
  'webhook-timestamp': {
    required: true,
    description:
      'When this attempt was sent, in seconds since the Unix epoch. Reject timestamps more than a few minutes in the past or future.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
    example: '1767607242',
  },
  'webhook-signature': {
    required: true,
    description:
      'One or more signatures, separated by spaces. Each is `v1,` followed by the base64-encoded HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`. Accept the webhook if any signature matches. There are two while a secret is being rotated.',
    schema: { type: 'string', pattern: '^\\S+,\\S+(?: \\S+,\\S+)*$' },
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
  traceparent: {
    required: false,
    description:
      'The trace to continue, in W3C Trace Context format. GROUP_CREATED has the value of its create request, if that request had a valid one.',
    schema: { type: 'string', pattern: '^(?!ff)[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' },
    example: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  },
}
