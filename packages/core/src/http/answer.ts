/** What a request is answered with. */
export type Answer = {
  readonly status: number
  /** Sent as JSON. */
  readonly body: object
  /** Besides those that every answer has; names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/** A response as it is sent. */
export type WrittenAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The answer to a request that was granted. */
export const granted = (body: object): Answer => ({ status: 200, body, headers: {} })

/** An answer in writing: JSON that no cache may keep, with an id to ask about. */
export const writeAnswer = ({ status, body, headers }: Answer, requestId: string): WrittenAnswer => ({
  status,
  headers: {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-request-id': requestId,
    ...headers,
  },
  body: JSON.stringify(body),
})

/** An answer as a response. */
export const toResponse = (answer: Answer, requestId: string): Response => {
  const { body, status, headers } = writeAnswer(answer, requestId)
  return new Response(body, { status, headers })
}
