import * as z from 'zod/mini'
import { MockUsageError } from '../errors/mock-usage-error.ts'

const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** A length of time: milliseconds, or a number and its unit: `'500ms'`, `'30s'`, `'5m'`, `'2h'`, `'1.5d'`. */
export type Duration = number | `${number}${keyof typeof unitsMs}`

const form = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/

/** Milliseconds of a duration; `undefined` when it is none. */
const millisecondsOf = (duration: unknown): number | undefined => {
  if (typeof duration === 'number') {
    return Number.isFinite(duration) && duration >= 0 ? duration : undefined
  }
  const [, amount, unit] = (typeof duration === 'string' && form.exec(duration)) || []
  return unit !== undefined && unit in unitsMs
    ? Math.round(Number(amount) * unitsMs[unit as keyof typeof unitsMs])
    : undefined
}

const sentence = "must be milliseconds, 0 or more, or a text such as '500ms', '30s', '5m', '2h' or '1d'"

/** Schema of a {@link Duration}. */
export const Duration = z.custom<Duration>((value) => millisecondsOf(value) !== undefined, {
  error: sentence,
})

/**
 * Milliseconds of a duration.
 *
 * @throws MockUsageError when it is none.
 */
export const parseDuration = (duration: Duration): number => {
  const milliseconds = millisecondsOf(duration)
  if (milliseconds !== undefined) return milliseconds
  throw new MockUsageError(`A duration ${sentence}, not ${JSON.stringify(duration) ?? String(duration)}.`)
}
