import * as z from 'zod/mini'

/** Query of a list. */
export const pageQuery = () => ({
  cursor: z.optional(z.string()),
  limit: z._default(z.coerce.number().check(z.multipleOf(1), z.gte(1), z.lte(1_000)), 100),
})

/** A moment in a query or a body: ISO 8601 with a zone; in a record's form. */
export const moment = () =>
  z.pipe(
    z.iso.datetime({ offset: true }),
    z.transform((text: string) => Date.parse(text)),
  )
