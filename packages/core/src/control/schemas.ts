import { UtcTimestamp } from '@wabakit/contract'
import * as z from 'zod/mini'
import type { Page } from '../index.ts'

export const schemaNames = z.registry<{ readonly id: string; readonly description: string }>()

/** Names and describes a schema in the OpenAPI document. */
export const named = <Schema extends z.core.$ZodType>(
  id: string,
  description: string,
  schema: Schema,
): Schema => {
  schemaNames.add(schema, { id, description })
  return schema
}

export const page = <Item extends z.core.$ZodType>(id: string, item: Item) =>
  named(
    `${id}Page`,
    'A part of a list. `nextCursor` leads to the next part. Reading events or deliveries forward, every page that is not empty has one. With filters, a page can have fewer items than `limit`, even none, and a `nextCursor`.',
    z.object({ items: z.array(item), nextCursor: z.optional(z.string()) }),
  )

export const showPage = <Item, Shown>(
  { items, ...rest }: Page<Item>,
  show: (item: Item) => Shown,
): { items: Shown[]; nextCursor?: string | undefined } => ({ ...rest, items: items.map(show) })

export async function* readPages<Item>(
  read: (page: { readonly cursor: string | undefined; readonly limit: number }) => Promise<Page<Item>>,
): AsyncGenerator<Item> {
  let cursor: string | undefined
  do {
    const page = await read({ cursor, limit: 1_000 })
    yield* page.items
    cursor = page.nextCursor
  } while (cursor !== undefined)
}

export const list = <Item extends z.core.$ZodType>(id: string, item: Item) =>
  named(`${id}List`, 'A list without pages.', z.object({ items: z.array(item) }))

export const pageQuery = {
  cursor: z.optional(z.string()),
  limit: z._default(z.coerce.number().check(z.multipleOf(1), z.gte(1), z.lte(1_000)), 100),
}

/** A time in a request: ISO 8601 with a zone, parsed to Unix time in milliseconds. */
export const time = z.pipe(
  z.iso.datetime({ offset: true }),
  z.transform((text: string) => Date.parse(text)),
)

/** Formats Unix time in milliseconds as ISO 8601 in UTC. */
export const utc = (time: number): string => new Date(time).toISOString()

/** A time in a response: ISO 8601 in UTC, converted from Unix time in milliseconds. */
export const Utc = z.codec(UtcTimestamp, z.number(), { decode: Date.parse, encode: utc })
export const UtcOrNull = z.nullable(Utc)

/** The name of an event. Names appear in code, commands and logs, so no character may need quoting. */
export const eventName = z
  .string()
  .check(
    z.regex(
      /^[A-Za-z][A-Za-z0-9_.-]{0,99}$/,
      'must have 1 to 100 letters of ASCII, digits, underscores, periods and hyphens, and start with a letter',
    ),
  )

/** The subject of an event, such as `call:` or `group:` and an identifier. */
export const subject = z
  .string()
  .check(
    z.minLength(1),
    z.meta({ maxLength: 261, description: 'The call or group that the event is about, such as call:….' }),
  )

export const ServerInfo = named(
  'ServerInfo',
  'What this host of the control API is. `can` lists what not every host can do: inject `faults` into the public API, and what only a `mock` can.',
  z.object({
    version: z.string(),
    database: z.enum(['memory', 'sqlite', 'postgresql']),
    role: z.enum(['all', 'api', 'worker']),
    can: z.array(z.enum(['faults', 'mock'])),
  }),
)
export type ServerInfo = z.infer<typeof ServerInfo>
