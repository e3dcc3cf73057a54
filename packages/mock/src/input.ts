import { toIssues } from '@wabakit/contract'
import type * as z from 'zod/mini'
import { MockUsageError } from './errors/mock-usage-error.ts'
import { suggestName } from './nearest-name.ts'

/** An object schema that refuses unknown fields. */
export type StrictObject<Shape extends z.core.$ZodShape = z.core.$ZodShape> = z.ZodMiniObject<
  Shape,
  z.core.$strict
>

const sentencesOf = (error: z.core.$ZodError, fields: readonly string[]): string[] => {
  const unknown = error.issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []))
  const known = toIssues(error).filter((_, index) => error.issues[index]?.code !== 'unrecognized_keys')
  return [
    ...unknown.map((key) => `${JSON.stringify(key)} is unknown. ${suggestName(key, fields)}`),
    ...known.map(({ path, message }) => (path === '' ? message : `${path} ${message}`)),
  ]
}

/**
 * Input of a control operation, checked.
 *
 * @param what - the operation, as users call it.
 * @throws MockUsageError with every issue; an unknown field comes with the one that was probably meant.
 */
export const parseInput = <Shape extends z.core.$ZodShape>(
  what: string,
  schema: StrictObject<Shape>,
  input: unknown,
): z.output<StrictObject<Shape>> => {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  throw new MockUsageError(`${what}: ${sentencesOf(parsed.error, Object.keys(schema.shape)).join('; ')}`)
}

/**
 * A name from a list.
 *
 * @throws MockUsageError with the name that was probably meant.
 */
export const parseName = <Name extends string>(
  what: string,
  names: readonly Name[],
  given: unknown,
): Name => {
  const found = names.find((name) => name === given)
  if (found !== undefined) return found
  const text = typeof given === 'string' ? given : String(given)
  throw new MockUsageError(`${what}: ${JSON.stringify(text)} is unknown. ${suggestName(text, names)}`)
}
