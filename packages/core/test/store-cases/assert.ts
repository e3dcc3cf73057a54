import type { Issue } from '@wabakit/contract'

/** An assertion of a store case failed. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError'
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const isEqual = (left: unknown, right: unknown): boolean => {
  if (Object.is(left, right)) return true
  if (!isRecord(left) || !isRecord(right) || Array.isArray(left) !== Array.isArray(right)) return false
  // An undefined field equals an absent one: records come from literals and from database rows.
  const names = new Set([...Object.keys(left), ...Object.keys(right)])
  return [...names].every((name) => isEqual(left[name], right[name]))
}

const show = (value: unknown): string => {
  const text =
    JSON.stringify(value, (_, each: unknown) => (each === undefined ? '(undefined)' : each), 2) ?? 'undefined'
  return text.length > 2_000 ? `${text.slice(0, 2_000)}…` : text
}

/** @throws AssertionError unless both are deeply equal. */
export const equal = (actual: unknown, expected: unknown, message = 'not equal'): void => {
  if (!isEqual(actual, expected)) {
    throw new AssertionError(`${message}\nexpected ${show(expected)}\nactual   ${show(actual)}`)
  }
}

/** @throws AssertionError unless the fields of `expected` are deeply equal in `actual`. */
export const includes = (actual: unknown, expected: Readonly<Record<string, unknown>>): void => {
  const names = Object.keys(expected)
  const part = isRecord(actual) ? Object.fromEntries(names.map((name) => [name, actual[name]])) : actual
  equal(part, expected)
}

/** @throws AssertionError unless `condition` is truthy. */
export function ok(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message)
}

/** @throws AssertionError unless an error, or an error body, has a message, and so has each of its issues. */
export const explains = (error: unknown): void => {
  const { message, issues = [] } = Object(error)
  for (const text of [message, ...issues.map((issue: Issue) => issue.message)])
    ok(typeof text === 'string' && text.length > 0, `no explanation: ${show(error)}`)
}

/**
 * Returns the error that a promise rejects with.
 *
 * @throws AssertionError if it resolves, the error does not explain itself, or a field of `expected` is not deeply
 *   equal in the error.
 */
export const rejects = async (
  promise: Promise<unknown>,
  expected: Readonly<Record<string, unknown>> = {},
): Promise<unknown> => {
  let error: unknown
  try {
    await promise
  } catch (caught) {
    error = caught
  }
  ok(error !== undefined, 'expected a rejection')
  explains(error)
  includes(error, expected)
  return error
}
