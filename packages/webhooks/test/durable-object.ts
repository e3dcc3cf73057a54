import { type Claim, sqlDedupe, sqlDedupeTable } from '@wabakit/webhooks'

const dialect = 'sqlite'

/** The part of a Durable Object's state that is used here. */
type State = {
  readonly storage: { readonly sql: { exec(text: string, ...values: unknown[]): { toArray(): unknown[] } } }
}

/** Calls a dedupe store in a Durable Object, by URL: `/claim?key=…&ttlMs=…`, `/complete?token=…`. */
export class Deliveries {
  readonly #claims = new Map<string, Claim>()
  readonly #storage: State['storage']

  constructor({ storage }: State) {
    this.#storage = storage
    storage.sql.exec(sqlDedupeTable({ dialect }))
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const read = (name: string): string => searchParams.get(name) ?? ''
    if (pathname === '/claim') {
      const { sql } = this.#storage
      const dedupe = sqlDedupe((text, values) => sql.exec(text, ...values).toArray(), {
        dialect,
        ttlMs: Number(read('retentionMs')),
      })
      const outcome = await dedupe.claim(read('key'), Number(read('ttlMs')))
      if (typeof outcome === 'string') return Response.json(outcome)
      const token = crypto.randomUUID()
      this.#claims.set(token, outcome)
      return Response.json({ token })
    }
    const claim = this.#claims.get(read('token'))
    if (pathname === '/renew') return Response.json(await claim?.renew(Number(read('ttlMs'))))
    if (pathname === '/complete') return Response.json(await claim?.complete())
    await claim?.release()
    return Response.json(true)
  }
}

export default {
  fetch: (request: Request, env: { DELIVERIES: { getByName(name: string): Deliveries } }) =>
    env.DELIVERIES.getByName('all').fetch(request),
}
