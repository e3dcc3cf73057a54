import type pg from 'pg'

/** Server settings that must not be off, and the damage that a machine crash causes if they are. */
const damages: Readonly<Record<string, string>> = {
  fsync: 'loses changes that were acknowledged, and can damage the database',
  full_page_writes: 'can damage the database, unless its file system never writes a part of a page',
}

/** Returns a warning for each setting that can make the server lose committed transactions. */
export const describeDurability = async (client: pg.Client, address: string): Promise<string[]> => {
  const { rows } = await client.query<{ name: string }>(
    `SELECT name FROM pg_settings WHERE name = ANY ($1) AND setting = 'off' ORDER BY name`,
    [Object.keys(damages)],
  )
  return rows.map(
    ({ name }) =>
      `The PostgreSQL server of ${address} runs with ${name} = off: a crash of its machine ${damages[name]}. Set ${name} to on and reload the server's configuration.`,
  )
}
