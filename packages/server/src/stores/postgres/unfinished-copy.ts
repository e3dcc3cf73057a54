import type pg from 'pg'

/** A table that exists while a SQLite database is copied into this one, until both have been compared. */
export const unfinishedCopy = 'wabakit.unfinished_copy'

/** Whether a copy into a database has begun and is not finished. */
export const hasUnfinishedCopy = async (client: pg.ClientBase): Promise<boolean> => {
  const { rows } = await client.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [
    unfinishedCopy,
  ])
  return rows[0]?.found ?? false
}
