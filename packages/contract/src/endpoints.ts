/** The service's two endpoints by the names the client gives them. Paths are relative to the base URL. */
export const endpoints = {
  'groups.create': { method: 'POST', path: '/whatsapp/wa-group/create' },
  'calls.getSummary': { method: 'GET', path: '/v1/call/ai-summary' },
} as const

/** Name of an endpoint: `groups.create` or `calls.getSummary`. */
export type EndpointName = keyof typeof endpoints
