/** The groups of operations in the OpenAPI document. */
export const tags = {
  Organizations: 'Customers of the service, with their numbers and API keys.',
  Subscriptions: 'Requests to receive events at a URL.',
  Calls: 'Calls, step by step or simulated from start to summary.',
  Groups: 'Groups and their participants.',
  Events: 'What has happened, listed or as it happens.',
  Deliveries: 'Webhooks, their attempts, and resending them.',
  Erasure: 'Deleting everything about a call or a customer.',
  Faults: 'Failures that a test asks for.',
  Server: 'The server itself.',
} as const

/** The name of a group of operations. */
export type Tag = keyof typeof tags
