/**
 * Tells whether a text can be a `webhook-id`: one word of visible ASCII characters without a full stop. What is signed
 * is `id.timestamp.body` (Standard Webhooks 1.0, "Signature scheme"), so with a full stop in the id, one signature
 * would fit several ids and bodies.
 *
 * @example
 * isWebhookId('msg_1') // true
 */
export const isWebhookId = (id: string): boolean => /^[!-~]+$/.test(id) && !id.includes('.')
