import type { Inbox, InboxOutcome } from './dedupe.ts'
import { syntaxes } from './sql-dialects.ts'
import { createSweeper, readColumn, readSqlOptions, type SqlInboxOptions } from './sql-table.ts'

/** The required part of a client from a pool of `pg`. Handlers run statements on it, but never begin, commit or roll back. */
export type SqlTransaction = {
  query(text: string, values: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
  on(event: 'error', listener: () => void): unknown
  off(event: 'error', listener: () => void): unknown
  release(destroy: boolean): unknown
}

/** The required part of a pool of `pg`. */
export type SqlPool<Transaction> = { connect(): Promise<Transaction> }

const ignore = (): void => {}

/**
 * Remembers deliveries in a PostgreSQL table ({@link sqlDedupeTable}), in the same transaction that handlers write in.
 * Whatever a handler writes with `context.transaction` is committed together with the delivery's key, or not at all.
 * Each delivery occupies a connection of the pool while it is handled.
 *
 * @param pool - a pool of `pg`. It is never ended.
 * @throws RangeError when `table` is not a plain identifier.
 * @example
 * createReceiver({ verify, dedupe: sqlInbox<PoolClient>(pool) }).on('CALL_AI_SUMMARY', (event, { transaction }) =>
 *   transaction.query('INSERT INTO summaries (call_id, recap) VALUES ($1, $2)', [event.callId, event.summary.recap]),
 * )
 */
export const sqlInbox = <Transaction extends SqlTransaction = SqlTransaction>(
  pool: SqlPool<Transaction>,
  options: SqlInboxOptions = {},
): Inbox<Transaction> => {
  const { ttlMs, table } = readSqlOptions('sqlInbox()', options, ['ttlMs', 'table'])
  const sweep = createSweeper(table, 'postgresql')

  /** Runs one statement and resolves to its first row. */
  const run = async (client: Transaction, text: string, values: unknown[] = []): Promise<unknown> =>
    (await client.query(text, values)).rows[0]

  const begin = async (
    client: Transaction,
    key: string,
  ): Promise<'duplicate' | 'in_progress' | undefined> => {
    await run(client, 'BEGIN')
    // Held until the transaction ends in any way. A second process does not wait for it.
    const lock = 'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS locked'
    if (readColumn(await run(client, lock, [`${table} ${key}`]), 'locked') !== true) return 'in_progress'
    // A separate statement, so that it sees the commit of the last holder of the lock.
    const known = await run(
      client,
      `SELECT claimed_by FROM ${table} WHERE key = $1 AND expires_at > clock_timestamp()`,
      [key],
    )
    if (known === undefined) return undefined
    return readColumn(known, 'claimed_by') === null ? 'duplicate' : 'in_progress'
  }

  /** Runs last. If a handler caught the error of a failed statement, this fails too, whereas COMMIT would not. */
  const complete = async (client: Transaction, key: string): Promise<void> => {
    const completed = await run(
      client,
      `INSERT INTO ${table} AS known (key, expires_at) VALUES ($1, ${syntaxes.postgresql.later('$2')})
       ON CONFLICT (key) DO UPDATE SET claimed_by = NULL, expires_at = excluded.expires_at
       WHERE known.expires_at <= clock_timestamp()
       RETURNING 1`,
      [key, ttlMs],
    )
    if (completed === undefined)
      throw new Error(`"${key}" was claimed in ${table} while it was being handled.`)
  }

  const handle = async (
    client: Transaction,
    key: string,
    work: (transaction: Transaction) => Promise<boolean>,
  ): Promise<InboxOutcome> => {
    const known = await begin(client, key)
    if (known === undefined) {
      if (!(await work(client))) return 'failed'
      await complete(client, key)
    }
    await run(client, 'COMMIT')
    return known ?? 'handled'
  }

  return {
    transact: async (key, work) => {
      const client = await pool.connect()
      // When a connection breaks, the next statement fails. Without a listener, the process would end too.
      client.on('error', ignore)
      let outcome: InboxOutcome = 'failed'
      try {
        outcome = await handle(client, key, work)
        if (outcome === 'handled') await sweep((statement) => run(client, statement))
        return outcome
      } finally {
        const failed = outcome === 'failed'
        if (!failed) client.off('error', ignore)
        // Closing the connection rolls back, and keeps a handler that timed out from writing anything else.
        client.release(failed)
      }
    },
  }
}
