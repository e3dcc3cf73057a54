import type pg from 'pg'

/** Runs one statement in a transaction of its own. */
export type Query = <Row extends pg.QueryResultRow>(
  sql: string,
  values?: readonly unknown[],
) => Promise<Row[]>
