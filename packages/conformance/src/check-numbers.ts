import { ExaminationUsageError } from './errors.ts'

/**
 * Checks numbers, by the names of their options. NaN, for example from an unset environment variable, would make a wait end
 * at once, or never.
 *
 * @throws ExaminationUsageError when one is not a number, or below 0.
 */
export const checkNumbers = (options: Readonly<Record<string, number | undefined>>): void => {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || (typeof value === 'number' && value >= 0)) continue
    throw new ExaminationUsageError(`${name} must be a number, 0 or more, not ${String(value)}.`)
  }
}
