import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { migrate, readVersion } from '../../../../../packages/server/src/stores/sqlite/migrate.ts'

type SqlFunction = Parameters<DatabaseSync['function']>[1]

let shared: DatabaseSync | undefined

/** The SQL functions that the stores of this run have defined, newest first. */
const functions = new Map<string, SqlFunction[]>()

/** Prepares each statement only once per thread, because preparing all of them takes longer than a run. */
const prepareOnce = (database: DatabaseSync): DatabaseSync => {
  const statements = new Map<string, StatementSync>()
  const prepare = (sql: string): StatementSync => {
    const statement = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  const define = (name: string, run: SqlFunction): void => {
    const known = functions.get(name)
    functions.set(name, [run, ...(known ?? [])])
    // If a function were defined again, SQLite would recompile all statements.
    if (known !== undefined) return
    database.function(name, { varargs: true }, (...values) => {
      const [result = null] = (functions.get(name) ?? []).map((each) => each(...values))
      return result
    })
  }
  return new Proxy(database, {
    get: (target, name) => {
      if (name === 'prepare') return prepare
      if (name === 'function') return define
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** Empties and returns the in-memory database of this thread. Its tables are created only once. */
export const openEmptyDatabase = (): DatabaseSync => {
  if (shared === undefined) {
    const database = new DatabaseSync(':memory:')
    migrate(database, readVersion(database, ':memory:'))
    shared = prepareOnce(database)
  }
  if (shared.isTransaction) shared.exec('rollback')
  for (const name of functions.keys()) functions.set(name, [])
  for (const { name } of shared.prepare("select name from sqlite_schema where type = 'table'").all()) {
    shared.prepare(`delete from ${String(name)}`).run()
  }
  return shared
}
