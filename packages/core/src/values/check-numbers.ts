import { InputError } from '../errors/operation-errors.ts'

type Rule = readonly [isValid: (value: number) => boolean, words: string]

const count: Rule = [(value) => Number.isSafeInteger(value) && value > 0, 'a whole number above 0']
const duration: Rule = [(value) => value > 0, 'a number of milliseconds above 0']
const time: Rule = [(value) => Number.isFinite(value) && value >= 0, 'a Unix time in milliseconds']

/** The rules of numbers that no schema parses, by the name of the option. */
const rules = {
  limit: count,
  maxExamined: count,
  from: time,
  before: time,
  occurredFrom: time,
  occurredBefore: time,
  attemptedFrom: time,
  attemptedBefore: time,
  finishedFrom: time,
  finishedBefore: time,
  concurrency: count,
  perSubscription: count,
  timeoutMs: duration,
  leaseMs: duration,
  pollMs: duration,
  graceMs: [(value) => value >= 0, 'a number of milliseconds, 0 or more'],
} satisfies Readonly<Record<string, Rule>>

/**
 * Checks the numbers among options. Comparisons with NaN, as from an unset environment variable, are all false, so that
 * it would remove a limit or select nothing.
 *
 * @throws InputError
 */
export const checkNumbers = (options: object, parent = ''): void => {
  const issues = Object.entries(rules).flatMap(([name, [isValid, words]]) => {
    const value: unknown = Reflect.get(options, name)
    const isRight = value === undefined || (typeof value === 'number' && isValid(value))
    return isRight ? [] : [{ path: parent + name, message: `must be ${words}` }]
  })
  if (issues.length > 0) throw new InputError(issues)
}
