import { toIssues } from '@wabakit/contract'
import { InputError } from '@wabakit/core'
import { formatIssue } from '@wabakit/core/hosting'
import { suggestName } from '@wabakit/wire'
import type * as z from 'zod/mini'
import { MockUsageError } from './errors.ts'

/** An object schema that rejects unknown fields. */
export type StrictObject<Shape extends z.core.$ZodShape = z.core.$ZodShape> = z.ZodMiniObject<
  Shape,
  z.core.$strict
>

const formatIssues = (error: z.core.$ZodError, fields: readonly string[]): string =>
  error.issues
    .flatMap((issue) =>
      issue.code === 'unrecognized_keys' && issue.path.length === 0
        ? issue.keys.map((key) => `${JSON.stringify(key)} is unknown. ${suggestName(key, fields)}`)
        : toIssues({ ...error, issues: [issue] }).map(formatIssue),
    )
    .join('; ')

/**
 * Checks the input to a mock function.
 *
 * @param caller - the function's name, for the message.
 * @throws MockUsageError with every issue. For an unknown field of the input itself, it suggests a similar known one, or lists
 * all.
 */
export const parseInput = <Shape extends z.core.$ZodShape>(
  caller: string,
  schema: StrictObject<Shape>,
  input: unknown,
): z.output<StrictObject<Shape>> => {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  throw new MockUsageError(`${caller}: ${formatIssues(parsed.error, Object.keys(schema.shape))}`)
}

/**
 * Checks a name against a list.
 *
 * @throws MockUsageError that suggests a similar known name, or lists all.
 */
export const parseName = <Name extends string>(
  caller: string,
  names: readonly Name[],
  value: unknown,
): Name => {
  const found = names.find((name) => name === value)
  if (found !== undefined) return found
  const text = String(value)
  throw new MockUsageError(`${caller}: ${JSON.stringify(text)} is unknown. ${suggestName(text, names)}`)
}

/** Turns the core's InputError into a MockUsageError; returns any other error unchanged. */
export const toUsageError = (caller: string, error: unknown): unknown =>
  error instanceof InputError ? new MockUsageError(`${caller}: ${error.message}`, { cause: error }) : error
