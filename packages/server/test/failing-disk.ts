import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'

const watched = [
  { target: fs, methods: ['openSync', 'fsyncSync', 'renameSync'] },
  { target: DatabaseSync.prototype, methods: ['exec', 'prepare'] },
  { target: StatementSync.prototype, methods: ['run', 'all', 'get'] },
] as const

/**
 * Runs synchronous work in which one call to the disk or to SQLite fails before it is made, counted from 1. Without `failing`,
 * none fails.
 *
 * @returns the calls, such as `fsyncSync backup.db`, and what the work threw.
 */
export const withFailingDisk = (work: () => unknown, failing = 0) => {
  const calls: string[] = []
  const names = new Map<unknown, string>()
  const restores: (() => void)[] = []
  for (const { target, methods } of watched) {
    for (const method of methods) {
      const really: unknown = Reflect.get(target, method)
      const replace = (replacement: unknown): void => void Object.assign(target, { [method]: replacement })
      replace(function (this: unknown, ...values: unknown[]) {
        const [file] = values
        const name = names.get(file) ?? basename(String(file))
        calls.push(target === fs ? `${method} ${name}` : method)
        if (calls.length === failing) throw new Error(`${method} has failed`)
        const result = Reflect.apply(really as () => unknown, this, values)
        if (method === 'openSync') names.set(result, name)
        return result
      })
      restores.push(() => replace(really))
    }
  }
  syncBuiltinESMExports()
  let error: unknown
  try {
    work()
  } catch (thrown) {
    error = thrown
  } finally {
    for (const restore of restores) restore()
    syncBuiltinESMExports()
  }
  return { calls, error }
}
