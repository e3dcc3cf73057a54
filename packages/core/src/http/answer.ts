/** What a request is answered with. */
export type Answer = {
  readonly status: number
  /** Sent as JSON. */
  readonly body: object
  /** Besides those that every answer has; names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/** The answer to a request that was granted. */
export const granted = (body: object): Answer => ({ status: 200, body, headers: {} })

/** An answer as a response: JSON that no cache may keep, with an id to ask about. */
export const toResponse = ({ status, body, headers }: Answer, requestId: string): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-request-id': requestId,
      ...headers,
    },
  })
