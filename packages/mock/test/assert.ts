import { findDifferences } from '../src/matching/find-differences.ts'
import { printDifferences, printValue } from '../src/matching/print.ts'

/** Throws unless `actual` matches `part`. */
export const matches = (actual: unknown, part: unknown): void => {
  const differences = findDifferences(part, actual)
  if (differences.length > 0) throw new Error(`it differs in:\n${printDifferences(differences)}`)
}

/** Throws unless both are deeply equal. */
export const equal = (actual: unknown, expected: unknown): void => {
  matches(actual, expected)
  matches(expected, actual)
}

type ErrorClass<Thrown extends Error> = abstract new (...parameters: never[]) => Thrown

/** Throws unless the promise rejects with an error of this class, with this message, or with these fields. */
export const rejects = async <Thrown extends Error>(
  promise: PromiseLike<unknown>,
  expected: ErrorClass<Thrown> | RegExp | object,
): Promise<Thrown> => {
  const outcome = await Promise.resolve(promise).then(
    (value) => ({ value }),
    (error: Thrown) => ({ error }),
  )
  if (!('error' in outcome))
    throw new Error(`expected a rejection, but it resolved with ${printValue(outcome.value)}`)
  const { error } = outcome
  if (expected instanceof RegExp) matches(String(error), expected)
  else if (typeof expected !== 'function') matches(error, expected)
  else if (!(error instanceof expected)) throw new Error(`${String(error)} is not a ${expected.name}`)
  return error
}
