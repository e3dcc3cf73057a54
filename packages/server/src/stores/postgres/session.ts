import type pg from 'pg'
import { functionSchema } from './functions/index.ts'
import { readOnly } from './remedies.ts'

/**
 * The column that tells whether a server only reads: it is a standby, the former primary after a failover, which may stay
 * reachable, or has `default_transaction_read_only` on.
 */
const isReadOnly = `current_setting('transaction_read_only') = 'on' AS is_read_only`

/** @throws Error if the server of a connection only reads. */
export const assertWritable = async (
  client: Pick<pg.ClientBase, 'query'>,
  statement = { text: `SELECT ${isReadOnly}`, values: [] as string[] },
): Promise<void> => {
  const { rows } = await client.query<{ is_read_only: boolean }>(statement)
  if (rows[0]?.is_read_only !== false)
    throw Object.assign(new Error('the server is read only. It is a standby, or no longer the primary'), {
      code: readOnly,
    })
}

/**
 * The settings of every session. The search path selects this version's SQL functions, which require READ
 * COMMITTED. Acknowledged changes must be on disk. The planner must use the index that was created for a
 * statement, even if a new table has no statistics, and must plan each statement only once. A process that
 * hangs in the middle of a transaction must not keep its locks.
 */
const settings = `SELECT
  set_config('search_path', '${functionSchema}', false),
  set_config('default_transaction_isolation', 'read committed', false),
  set_config('synchronous_commit',
    CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false),
  set_config('enable_seqscan', 'off', false),
  set_config('enable_mergejoin', 'off', false),
  set_config('enable_bitmapscan', 'off', false),
  set_config('plan_cache_mode', 'force_generic_plan', false),
  set_config('jit', 'off', false),
  set_config('statement_timeout', $1, false),
  set_config('idle_in_transaction_session_timeout', $1, false),
  ${isReadOnly}`

/**
 * Prepares a new connection.
 *
 * @param statementTimeoutMs - maximum duration of a statement, and of a pause between two statements of a transaction,
 *   in milliseconds; 0 means no maximum.
 * @throws Error if the server only reads.
 */
export const prepareSession = async (client: pg.ClientBase, statementTimeoutMs: number): Promise<void> => {
  await assertWritable(client, { text: settings, values: [String(statementTimeoutMs)] })
}
