import type pg from 'pg'

/**
 * The table that is there from the moment a SQLite database begins to be copied into this one until all was compared:
 * what is in the others meanwhile is no database to work with.
 */
export const unfinishedCopy = 'wabakit.unfinished_copy'

/** Whether a copy into a database has begun and is not finished. */
export const hasUnfinishedCopy = async (client: pg.ClientBase): Promise<boolean> => {
  const { rows } = await client.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [
    unfinishedCopy,
  ])
  return rows[0]?.found ?? false
}
