/** Maximum number of writes per key and period, and the length of a period in milliseconds. */
const limit = { max: 10, perMs: 10_000 }

const maxKeys = 10_000

/**
 * Limits the rate of writes per key. While a transaction holds a snapshot, every version of a row is kept, and each
 * read of the row must walk through all of them.
 *
 * @returns a function that returns whether a key may be written at the given time and, if so, counts the write.
 */
export const createWriteLimit = () => {
  const writes = new Map<string, { readonly period: number; count: number }>()
  return (key: string, now: number): boolean => {
    const period = Math.floor(now / limit.perMs)
    let counted = writes.get(key)
    if (counted?.period !== period) {
      if (writes.size >= maxKeys) writes.clear()
      counted = { period, count: 0 }
      writes.set(key, counted)
    }
    if (counted.count >= limit.max) return false
    counted.count++
    return true
  }
}
