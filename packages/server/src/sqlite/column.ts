import type { SQLInputValue } from 'node:sqlite'
import * as z from 'zod/mini'

/** A column that holds JSON. */
export const jsonColumn = <Schema extends z.ZodMiniType>(schema: Schema) =>
  z.pipe(
    z.pipe(
      z.string(),
      z.transform((text: string): unknown => JSON.parse(text)),
    ),
    schema,
  )

/** A column that holds 0 or 1. */
export const flagColumn = z.pipe(
  z.number(),
  z.transform((value: number) => value === 1),
)

/** What a flag column holds. */
export const toFlag = (value: boolean | null): SQLInputValue => (value === null ? null : Number(value))

/** A column that holds how an endpoint responded the last time. */
export const Pace = z.enum(['new', 'failing', 'slow', 'quick'])
