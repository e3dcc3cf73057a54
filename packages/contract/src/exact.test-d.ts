import * as z from 'zod/mini'
import { exact, type ObjectSchema } from './exact.ts'

type Value = { id: string; note?: string | undefined }

export const same: ObjectSchema<Value> = exact(() => ({ id: z.string(), note: z.optional(z.string()) }))
// @ts-expect-error: the schema lacks an optional field of the type
export const lacking: ObjectSchema<Value> = exact(() => ({ id: z.string() }))
export const additional: ObjectSchema<Value> = exact(
  // @ts-expect-error: the type lacks a field of the schema
  () => ({ id: z.string(), note: z.optional(z.string()), more: z.optional(z.string()) }),
)
// @ts-expect-error: a field has another type
export const narrower: ObjectSchema<Value> = exact(() => ({
  id: z.literal('a'),
  note: z.optional(z.string()),
}))
// @ts-expect-error: a field is required in one of them only
export const required: ObjectSchema<Value> = exact(() => ({ id: z.string(), note: z.string() }))
