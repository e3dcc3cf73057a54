const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** A length of time: milliseconds, or a number with its unit, such as `'500ms'`, `'30s'`, `'5m'`, `'2h'` or `'1.5d'`. */
export type Duration = number | `${number}${keyof typeof unitsMs}`

const format = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/

/** Converts a duration to milliseconds; `undefined` if `value` is not a duration. */
export const toMilliseconds = (value: unknown): number | undefined => {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value : undefined
  const [, amount, unit] = (typeof value === 'string' && format.exec(value)) || []
  return unit !== undefined && unit in unitsMs
    ? Math.round(Number(amount) * unitsMs[unit as keyof typeof unitsMs])
    : undefined
}
