/** Options for {@link createWriteLimit}. */
export type WriteLimitOptions = {
  /** Writes within each period. */
  readonly max: number
  /** Milliseconds. */
  readonly perMs: number
}

const maxKeys = 10_000

/**
 * Limits how often something is written. While a transaction holds a snapshot, every version of a row stays, and is walked by
 * whoever reads the row.
 *
 * @returns a function that returns whether a key may be written at a time. Then it is counted.
 */
export const createWriteLimit = ({ max, perMs }: WriteLimitOptions) => {
  const writes = new Map<string, { readonly period: number; count: number }>()
  return (key: string, now: number): boolean => {
    const period = Math.floor(now / perMs)
    let counted = writes.get(key)
    if (counted?.period !== period) {
      if (writes.size >= maxKeys) writes.clear()
      counted = { period, count: 0 }
      writes.set(key, counted)
    }
    if (counted.count >= max) return false
    counted.count++
    return true
  }
}
