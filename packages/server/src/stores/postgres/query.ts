import type pg from 'pg'

/** Runs one statement in its own transaction. */
export type Query = <Row extends pg.QueryResultRow>(
  sql: string,
  values?: readonly unknown[],
) => Promise<Row[]>

/** Calls a function that returns one value, such as `add_events($1, $2, $3)`. */
export const callFunction = async <Value>(
  query: Query,
  call: string,
  values: readonly unknown[],
): Promise<Value | undefined> => (await query<{ value: Value }>(`SELECT ${call} AS value`, values))[0]?.value
