import pg from 'pg'

/** Runs one statement on a separate connection. */
export const runSql = async (
  address: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> => {
  const client = new pg.Client({ connectionString: address, application_name: 'torture' })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql, [...values])).rows
  } finally {
    await client.end()
  }
}
