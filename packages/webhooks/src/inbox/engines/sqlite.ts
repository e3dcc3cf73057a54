import { isError } from '@wabakit/wire'
import { readMonotonic, startTimer } from '../../machine-time.ts'
import { type Outcome, readColumn, readOnlyValue, readProperty } from '../../sql/sql-database.ts'
import { createBatch } from '../batch.ts'
import {
  type Effects,
  type InboxEngine,
  type InboxValue,
  ignore,
  type Run,
  refuse,
  type Statement,
} from '../engine.ts'
import { toName } from '../table.ts'

/** Accepts a `DatabaseSync` of `node:sqlite`, or a `Database` of `better-sqlite3`. */
export type SqliteConnection = {
  prepare(text: string): {
    all(...values: InboxValue[]): readonly unknown[]
    /** node:sqlite. */
    setReadBigInts?(enabled: boolean): unknown
    setReturnArrays?(enabled: boolean): unknown
    /** better-sqlite3. */
    safeIntegers?(enabled: boolean): unknown
  }
  exec(text: string): unknown
}

/** How long a statement waits for a locked database before it fails, in milliseconds. */
const deadlineMs = 8_000

const maxPrepared = 200

const isLocked = (error: unknown): boolean =>
  readProperty(error, 'errcode') === 5 || String(readProperty(error, 'code')).startsWith('SQLITE_BUSY')

const isReadOnly = (error: unknown): boolean =>
  (Number(readProperty(error, 'errcode')) & 0xff) === 8 ||
  String(readProperty(error, 'code')).startsWith('SQLITE_READONLY')

/** Returns an error with the remedy if the database has become read only, and any other error unchanged. */
const addRemedy = (error: unknown): unknown =>
  isReadOnly(error)
    ? new Error(
        'The database of the inbox is read only. Check the permissions of its file and folder, whether its disk is mounted ' +
          'read only, and query_only.',
        { cause: error },
      )
    : error

const pause = (ms: number): Promise<void> => new Promise((resolve) => startTimer(resolve, ms))

/** The completion of an entry, and the writes that its handlers added to it. */
type Completion<Database> = {
  readonly statement: Statement
  readonly writes: readonly ((database: Database) => unknown)[]
}

/** Runs an inbox on SQLite. Operations are synchronous. Between two of them, other code may use the connection. */
export const createSqliteEngine = <Database extends SqliteConnection>(
  database: Database,
): InboxEngine<never, Database> => {
  const prepared = new Map<string, ReturnType<SqliteConnection['prepare']>>()
  let busyTimeout: ReturnType<SqliteConnection['prepare']> | undefined

  const execute = (text: string, values: readonly InboxValue[] = []): Outcome => {
    let statement = prepared.get(text)
    if (statement === undefined) {
      if (prepared.size >= maxPrepared) prepared.clear()
      statement = database.prepare(text)
      // node:sqlite refuses to read a row with a number that is too large, such as that of a damaged row.
      statement.setReadBigInts?.(true)
      // Undoes settings that the application has made for all statements of the database.
      statement.setReturnArrays?.(false)
      statement.safeIntegers?.(false)
      prepared.set(text, statement)
    }
    const rows = statement.all(...values)
    if (!Array.isArray(rows))
      refuse('sqlInbox() needs a database whose statements are synchronous: node:sqlite or better-sqlite3.')
    return { rows, count: rows.length }
  }

  const isInTransaction = (): boolean =>
    readProperty(database, 'isTransaction') === true || readProperty(database, 'inTransaction') === true

  /**
   * Runs work that fails at once if the database is locked. The driver would block the event loop while it waits, for five
   * seconds by default in better-sqlite3.
   */
  const withoutWaiting = <Result>(work: () => Result): Result => {
    busyTimeout ??= database.prepare('PRAGMA busy_timeout')
    const waitMs = Number(readOnlyValue(busyTimeout.all()[0]))
    if (!(waitMs > 0)) return work()
    database.exec('PRAGMA busy_timeout = 0')
    try {
      return work()
    } finally {
      database.exec(`PRAGMA busy_timeout = ${waitMs}`)
    }
  }

  /**
   * Runs synchronous work when no other code has a transaction open on this connection. An event stored in
   * such a transaction would be acknowledged before it is committed, and might be rolled back.
   */
  const whenFree = async <Result>(work: () => Result): Promise<Result> => {
    const expiresAt = readMonotonic() + deadlineMs
    for (;;) {
      const busy = isInTransaction()
      try {
        if (!busy) return withoutWaiting(work)
      } catch (error) {
        if (!isLocked(error) || readMonotonic() > expiresAt) throw addRemedy(error)
      }
      if (busy && readMonotonic() > expiresAt) {
        throw new Error(
          `Other code has held a transaction open on the inbox's connection for ${deadlineMs} ms. ` +
            'Open a separate connection for the inbox.',
        )
      }
      await pause(1 + Math.random() * 20)
    }
  }

  const inTransaction = <Result>(work: () => Result): Result => {
    database.exec('BEGIN IMMEDIATE')
    try {
      const result = work()
      database.exec('COMMIT')
      return result
    } catch (error) {
      try {
        database.exec('ROLLBACK')
      } catch {
        // Some errors have already rolled the transaction back.
      }
      throw error
    }
  }

  /** Completes an entry if its claim is still held, and runs the writes of its handlers. */
  const completeOne = ({ statement, writes }: Completion<Database>): boolean => {
    if (execute(statement.text, statement.values).count === 0) return false
    for (const write of writes) {
      const written = write(database)
      if (typeof Object(written).then === 'function') {
        // Ignores the promise's own rejection, which would otherwise end the process. The error below
        // replaces it.
        Promise.resolve(written).catch(ignore)
        refuse(
          'A function passed to atCompletion() must be synchronous: nothing may run between it and the commit.',
        )
      }
    }
    return true
  }

  /** Runs completions in one transaction. If one of them throws, only its own writes are undone. */
  const completeAll = (completions: readonly Completion<Database>[]): (boolean | Error)[] =>
    inTransaction(() =>
      completions.map((completion) => {
        database.exec('SAVEPOINT completion')
        try {
          const held = completeOne(completion)
          database.exec('RELEASE completion')
          return held
        } catch (error) {
          database.exec('ROLLBACK TO completion; RELEASE completion')
          return isError(error) ? error : new Error(String(error))
        }
      }),
    )

  const completeTogether = createBatch(async (completions: readonly Completion<Database>[]) => {
    try {
      return await whenFree(() => completeAll(completions))
    } catch (error) {
      if (completions.length === 1) throw error
      // A write may have ended the shared transaction, so each completion now runs in its own.
      const outcomes: (boolean | Error)[] = []
      for (const completion of completions) {
        outcomes.push(
          await whenFree(() => inTransaction(() => completeOne(completion))).catch(
            (failure: Error) => failure,
          ),
        )
      }
      return outcomes
    }
  })

  const begin = (): Effects<never, Database> => {
    const writes: ((database: Database) => unknown)[] = []
    let ended = false
    return {
      transaction: async () =>
        refuse('transaction() runs on PostgreSQL and MySQL. On SQLite, write with atCompletion().'),
      atCompletion: (write) => {
        if (ended) refuse('The handler has returned. Call atCompletion() before it returns.')
        writes.push(write)
      },
      complete: async (statement) => {
        if (ended) refuse('The attempt was abandoned.')
        ended = true
        if (writes.length === 0) return undefined
        return completeTogether({ statement, writes })
      },
      abandon: () => {
        ended = true
      },
    }
  }

  const run: Run = (...statement) => whenFree(() => execute(...statement))
  return {
    dialect: 'sqlite',
    run,
    isDue: async (condition) => (await run(`SELECT 1 WHERE ${condition}`)).count > 0,
    claim: async ({ table, token, pick, set, columns, next }) => {
      const text = `WITH picked AS MATERIALIZED (${pick.text})
        UPDATE ${table} SET ${set.text}, token = ? WHERE id IN (SELECT id FROM picked) RETURNING ${columns}`
      const advance = `WITH picked AS (SELECT value AS id FROM json_each(?))
        UPDATE ${table} SET due_at = received_at WHERE due_at > received_at AND id IN (${next}) RETURNING id`
      const claimAll = () => {
        const { rows } = execute(text, [...pick.values, ...set.values, token])
        const ids = rows.map((row) => Number(readColumn(row, 'id')))
        if (next !== undefined && ids.length > 0) execute(advance, [JSON.stringify(ids)])
        return rows
      }
      return whenFree(() => inTransaction(claimAll))
    },
    postpone: async ({ table, pick }) =>
      (
        await run(
          `UPDATE ${table} SET due_at = p.due_at FROM (${pick}) p WHERE ${toName(table)}.id = p.id RETURNING 1`,
        )
      ).count,
    query: run,
    create: (statements) => whenFree(() => database.exec(statements)),
    hold: () => async () => {},
    begin,
    findWeakness: async () => {
      const synchronous = Number(readColumn(execute('PRAGMA synchronous').rows[0], 'synchronous'))
      return synchronous < 2 ? `synchronous=${['OFF', 'NORMAL'][synchronous]}` : undefined
    },
    isTransient: (error) => isLocked(error) || isInTransaction(),
    isMissingTable: (error) => String(readProperty(error, 'message')).includes('no such table'),
  }
}
