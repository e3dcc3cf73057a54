import type pg from 'pg'

/** Runs one statement in its own transaction. */
export type Query = <Row extends pg.QueryResultRow>(
  sql: string,
  values?: readonly unknown[],
) => Promise<Row[]>
