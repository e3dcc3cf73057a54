import type { ControlClient } from './control-client.ts'

type Json = Readonly<Record<string, unknown>>

const defaultLimit = 50

/** Reads the pages of a list until there are `limit` records (default: 50). */
export const readPages = async (
  control: Pick<ControlClient, 'send'>,
  path: string,
  { limit = defaultLimit, ...filters }: Json,
): Promise<Json[]> => {
  const wanted = Number(limit)
  const found: Json[] = []
  for (let cursor: string | undefined; ; ) {
    const query = new URLSearchParams()
    const page = { ...filters, cursor, limit: Math.min(1_000, wanted - found.length) }
    for (const [name, value] of Object.entries(page)) if (value !== undefined) query.set(name, String(value))
    const { items, nextCursor } = (await control.send('GET', `${path}?${query}`)) as {
      items: Json[]
      nextCursor?: string
    }
    found.push(...items)
    cursor = nextCursor
    if (cursor === undefined || found.length >= wanted) return found.slice(0, wanted)
  }
}
