/** The service's two endpoints, named like the client's methods. Paths are relative to the base URL. */
export const endpoints = {
  /** Creates a WhatsApp group. */
  'groups.create': {
    method: 'POST',
    path: '/whatsapp/wa-group/create',
  },
  /** Fetches the AI summary of a call. */
  'calls.getSummary': {
    method: 'GET',
    /** The query parameter `callId` identifies the call. */
    path: '/v1/call/ai-summary',
  },
} as const

/** Name of an endpoint: `groups.create` or `calls.getSummary`. */
export type EndpointName = keyof typeof endpoints
