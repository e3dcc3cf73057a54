import type pg from 'pg'

/**
 * What every session needs: our functions are written for READ COMMITTED; what was acknowledged must be on the disk;
 * the planner must look rows up one by one in the indexes that are there for each statement, also while a new table has
 * no statistics, and need not plan again what has only one good plan. A process that falls silent in the midst of a transaction must not
 * hold its locks for ever.
 */
const settings = `SELECT
  set_config('default_transaction_isolation', 'read committed', false),
  set_config('synchronous_commit',
    CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false),
  set_config('enable_seqscan', 'off', false),
  set_config('enable_mergejoin', 'off', false),
  set_config('plan_cache_mode', 'force_generic_plan', false),
  set_config('jit', 'off', false),
  set_config('statement_timeout', $1, false),
  set_config('idle_in_transaction_session_timeout', $1, false),
  pg_is_in_recovery() AS is_standby`

/**
 * Makes a new connection ready for our statements.
 *
 * @param statementTimeoutMs - longest time of a statement, and of waiting for the next one of a transaction.
 * @throws when the server is a standby.
 */
export const prepareSession = async (client: pg.ClientBase, statementTimeoutMs: number): Promise<void> => {
  const { rows } = await client.query<{ is_standby: boolean }>(settings, [String(statementTimeoutMs)])
  if (rows[0]?.is_standby) throw new Error('the server is a standby, which only reads')
}
