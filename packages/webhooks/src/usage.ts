import { WebhookUsageError } from './errors.ts'

/**
 * Checks names at run time, for callers without TypeScript.
 *
 * @throws WebhookUsageError for the first unknown name. The message lists the known names.
 */
export const assertNames = (
  what: string,
  { names, known }: { readonly names: readonly unknown[]; readonly known: readonly string[] },
): void => {
  for (const name of names) {
    if (typeof name === 'string' && known.includes(name)) continue
    throw new WebhookUsageError(`"${String(name)}" is not ${what}. Known names: ${known.join(', ')}.`)
  }
}

/** @throws WebhookUsageError when the options are not an object, or one of them is unknown. */
export const assertOptions = <Options extends object>(
  caller: string,
  options: Options,
  known: readonly (keyof Options & string)[],
): void => {
  if (Object(options) !== options) throw new WebhookUsageError(`${caller} needs an object of options.`)
  assertNames(`an option of ${caller}`, { names: Object.keys(options), known })
}

/** @throws WebhookUsageError when the value is not a function. */
export const assertFunction = (name: string, value: unknown): void => {
  if (typeof value !== 'function') throw new WebhookUsageError(`${name} must be a function.`)
}

/** @throws RangeError when the name of a table is not a plain identifier, with or without a schema. */
export const assertTableName = (table: string): void => {
  if (/^[a-z_][\w$]*(?:\.[a-z_][\w$]*)?$/i.test(table)) return
  throw new RangeError(`"${table}" is not a valid table name`)
}

/**
 * Creates the check of a number. NaN, as from an unset environment variable, would disable a limit, and text
 * would be appended where a number is added.
 */
const createNumberCheck =
  (words: string, isValid: (value: number) => boolean) =>
  (name: string, value: number | undefined): void => {
    if (value === undefined || (typeof value === 'number' && isValid(value))) return
    throw new RangeError(`${name} must be ${words}, not ${String(value)}`)
  }

/** @throws RangeError when a limit or a time is not a number above 0. */
export const assertAboveZero = /* @__PURE__ */ createNumberCheck('above 0', (value) => value > 0)

/** @throws RangeError when a limit or a time is not a number from 0. */
export const assertZeroOrMore = /* @__PURE__ */ createNumberCheck('0 or more', (value) => value >= 0)

/** @throws RangeError when a count is not a whole number above 0. */
export const assertWhole = /* @__PURE__ */ createNumberCheck(
  'a whole number above 0',
  (value) => Number.isSafeInteger(value) && value > 0,
)
