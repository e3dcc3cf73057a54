import type pg from 'pg'

/** Saves the rows of all tables. Returns the statements that restore them, and the sequences. */
export const saveRows = async (control: pg.Client): Promise<string> => {
  const { rows } = await control.query<{ name: string; columns: string }>(
    `SELECT c.relname AS name, string_agg(a.attname, ', ') AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND a.attgenerated = ''
     WHERE c.relnamespace = 'wabakit'::regnamespace AND c.relkind = 'r' AND c.relname !~ 'migrations|schemas' GROUP BY 1`,
  )
  const { rows: sequences } = await control.query<{ name: string; value: string }>(
    `SELECT schemaname || '.' || sequencename AS name, coalesce(last_value, 1) AS value
     FROM pg_sequences WHERE schemaname = 'wabakit'`,
  )
  await control.query(
    rows
      .map(
        ({ name }) =>
          `DROP TABLE IF EXISTS race.${name}; CREATE TABLE race.${name} AS SELECT * FROM wabakit.${name}`,
      )
      .join(';'),
  )
  return [
    ...rows.map(
      ({ name, columns }) =>
        `DELETE FROM wabakit.${name}; INSERT INTO wabakit.${name} (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns} FROM race.${name}`,
    ),
    ...sequences.map(({ name, value }) => `SELECT setval('${name}', ${value})`),
  ].join(';')
}
