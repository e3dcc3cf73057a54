/** Status and further headers of a {@link jsonResponse}. */
export type JsonResponseInit = {
  /** @default 200 */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** An answer of this service: JSON that no cache may keep. */
export const jsonResponse = (body: object, { status = 200, headers = {} }: JsonResponseInit = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
  })
