import type { DatabaseSync } from 'node:sqlite'

/**
 * Functions that update memory: after a commit in the order of the changes; after a rollback, also to a savepoint, in
 * reverse. They are then removed from the list. A commit that fails counts as a rollback, even if its outcome is unknown.
 */
export type Effects = { readonly afterCommit?: () => void; readonly afterRollback?: () => void }[]

export const applyCommit = (effects: Effects): void => {
  for (const { afterCommit } of effects.splice(0)) afterCommit?.()
}

/** Applies the effects of a rollback, last change first, until only `length` effects are left. */
export const applyRollback = (effects: Effects, length = 0): void => {
  while (effects.length > length) effects.pop()?.afterRollback?.()
}

/** Tables that rarely change but are read with each request, event or delivery. */
const tables = ['organizations', 'apiKeys', 'subscriptions'] as const

/** Maximum number of values that each function caches. */
const maxValues = 10_000

export const createRemember = (database: DatabaseSync, effects: Effects) => {
  const forgetAll = new Map(tables.map((table) => [table, [] as (() => void)[]]))

  for (const [table, forgets] of forgetAll) {
    const forget = (): void => {
      for (const each of forgets) each()
    }
    database.function(`${table}Changed`, () => {
      forget()
      effects.push({ afterRollback: forget })
      return null
    })
    for (const change of ['insert', 'update', 'delete'])
      database.exec(
        `create temp trigger if not exists ${table}_${change} after ${change} on main.${table} begin select ${table}Changed(); end`,
      )
  }

  /**
   * Returns a function that reads from tables and caches the results until a row of one of these tables
   * changes. Only one process uses the file, so no other process can change the rows. Parts of a key, except
   * the last one, must not contain line breaks.
   */
  return <Key extends readonly (string | number)[], Value>(
    from: readonly (typeof tables)[number][],
    read: (...key: Key) => Value,
  ) => {
    const known = new Map<string, Value>()
    for (const table of from) forgetAll.get(table)?.push(() => known.clear())
    return (...key: Key): Value => {
      const name = key.join('\n')
      const found = known.get(name)
      if (found !== undefined) return found
      const value = read(...key)
      // Missing records are not cached: guessed API keys, for example, must not evict existing records.
      if (value === undefined) return value
      if (known.size >= maxValues) known.clear()
      known.set(name, value)
      return value
    }
  }
}
