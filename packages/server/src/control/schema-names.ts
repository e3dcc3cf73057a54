import * as z from 'zod/mini'

/** Names under which schemas stand in the OpenAPI document. */
export const schemaNames = z.registry<{ readonly id: string; readonly description: string }>()

/** Gives a schema its name and a sentence of description in the OpenAPI document. */
export const named = <Schema extends z.core.$ZodType>(
  id: string,
  description: string,
  schema: Schema,
): Schema => {
  schemaNames.add(schema, { id, description })
  return schema
}

/** A page of a list. */
export const pageOf = <Item extends z.core.$ZodType>(id: string, item: Item) =>
  named(
    `${id}Page`,
    'A part of a list; `nextCursor` leads to the next one. Going forward through events or deliveries it is there for every page that is not empty.',
    z.object({ items: z.array(item), nextCursor: z.optional(z.string()) }),
  )

/** A whole list. */
export const listOf = <Item extends z.core.$ZodType>(id: string, item: Item) =>
  named(`${id}List`, 'A whole list.', z.object({ items: z.array(item) }))
