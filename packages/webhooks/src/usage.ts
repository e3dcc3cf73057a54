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

/** @throws RangeError when a limit or a time is not above 0. NaN would disable a limit. */
export const assertAboveZero = (name: string, value: number | undefined): void => {
  if (value !== undefined && !(value > 0)) throw new RangeError(`${name} must be above 0, not ${value}`)
}
