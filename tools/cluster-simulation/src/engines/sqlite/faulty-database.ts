import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { RunContext } from '../../cluster/run-context.ts'
import { type TransactionFault, transactionFaults } from '../../plan.ts'

/** SQLite's primary result codes (https://sqlite.org/rescode.html). */
const codes = { busy: 5, input: 10, full: 13 } as const

/** Faults that make a commit report a failure. */
const commitFaults: readonly TransactionFault[] = [
  'commit refused',
  'commit lost',
  'dies before',
  'dies after',
]

const createSqliteError = (errcode: number): Error =>
  Object.assign(new Error('simulated failure'), { code: 'ERR_SQLITE_ERROR', errcode })

export type FaultyDatabaseOptions = {
  readonly user: string
  /** Returns whether another program has locked the database. */
  isLocked(): boolean
  /** Blocks the server for the duration of a commit. */
  block(ms: number): void
}

/**
 * Wraps a real database so that its transactions can fail: at the beginning, at a write, or at the commit, which may
 * still take effect.
 */
export const createFaultyDatabase = (
  database: DatabaseSync,
  run: RunContext,
  { user, isLocked, block }: FaultyDatabaseOptions,
) => {
  const { plan, draws, faults } = run
  let pending: TransactionFault | undefined
  /** The number of writes until one fails. */
  let writesLeft = Infinity
  /** The number of reads until one fails. */
  let readsLeft = Infinity

  const rollBack = (): void => {
    if (database.isTransaction) database.exec('rollback')
  }

  const begin = (really: () => unknown): unknown => {
    if (isLocked()) throw createSqliteError(codes.busy)
    pending = faults.decide(`${user} transaction`, transactionFaults, plan.rates?.transaction)
    if (pending !== undefined) run.note(`${user}: transaction: ${pending}`)
    writesLeft =
      pending === 'write fails' || pending === 'disk full'
        ? draws.between('failing write', [1, draws.pick('failing writes', [5, 30])])
        : Infinity
    if (pending === 'busy') throw createSqliteError(codes.busy)
    return really()
  }

  const commit = (really: () => unknown): unknown => {
    if (pending === 'commit lost' || pending === 'dies before') rollBack()
    else if (pending !== 'commit refused') really()
    if (pending === 'dies before' || pending === 'dies after') run.kill(user)
    if (pending !== undefined && commitFaults.includes(pending)) throw createSqliteError(codes.input)
    return block(plan.commitMs)
  }

  /** Performs a write, or makes it fail. If the disk is full, SQLite rolls back the whole transaction. */
  const write = (really: () => unknown): unknown => {
    if (--writesLeft > 0 || !database.isTransaction) return really()
    writesLeft = Infinity
    if (pending === 'disk full') rollBack()
    throw createSqliteError(pending === 'disk full' ? codes.full : codes.input)
  }

  const read = (really: () => unknown): unknown => {
    if (--readsLeft > 0) return really()
    readsLeft = Infinity
    throw createSqliteError(codes.input)
  }

  const wrap = (sql: string, statement: StatementSync): StatementSync => {
    const runStatement = sql === 'begin immediate' ? begin : sql === 'commit' ? commit : write
    const isPlain = /^(?:rollback|savepoint|release)/.test(sql)
    return new Proxy(statement, {
      get: (target, name) => {
        const method = Reflect.get(target, name)
        if (typeof method !== 'function') return method
        if (name === 'run' && !isPlain)
          return (...values: unknown[]) => runStatement(() => Reflect.apply(method, target, values))
        if (name === 'get' || name === 'all')
          return (...values: unknown[]) => read(() => Reflect.apply(method, target, values))
        return method.bind(target)
      },
    })
  }

  return {
    /** Makes one of the next reads fail. */
    failReads: (): void => {
      readsLeft = draws.between('failing read', [1, 6])
    },
    allowReads: (): void => {
      readsLeft = Infinity
    },
    database: new Proxy(database, {
      get: (target, name) => {
        const value = Reflect.get(target, name)
        if (name === 'prepare') return (sql: string) => wrap(sql, target.prepare(sql))
        return typeof value === 'function' ? value.bind(target) : value
      },
    }),
  }
}
