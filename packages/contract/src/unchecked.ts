import * as z from 'zod/mini'

/** An optional text. An empty string and null mean the same as its absence, and are left out. */
export const unset = () => {
  const keepSet = z.overwrite<string | null>((value) => (value || undefined) as string | null)
  return z.optional(z.nullable(z.string()).check(keepSet)) as unknown as z.ZodMiniOptional<z.ZodMiniString>
}

/** An optional field that no service guarantees: a value of another type is left out, and makes nothing invalid. */
export const unchecked = <Schema extends z.core.$ZodType>(schema: Schema) => {
  const keepValid = z.overwrite((value) => (z.safeParse(schema, value).success ? value : undefined))
  // z.catch does the same, but adds 3 kB to a bundle.
  return z.optional(z.union([schema, z.unknown()]).check(keepValid)) as unknown as z.ZodMiniOptional<Schema>
}
