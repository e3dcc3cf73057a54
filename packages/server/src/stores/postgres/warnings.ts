import type pg from 'pg'

/** Server settings that must not be off, and the damage that a machine crash causes if they are. */
const damages: Readonly<Record<string, string>> = {
  fsync: 'loses changes that were acknowledged, and can damage the database',
  full_page_writes: 'can damage the database, unless its file system never writes a part of a page',
}

/** Returns a warning for each of these settings that is off. */
const describeDurability = async (client: pg.Client, address: string): Promise<string[]> => {
  const { rows } = await client.query<{ name: string }>(
    `SELECT name FROM pg_settings WHERE name = ANY ($1) AND setting = 'off' ORDER BY name`,
    [Object.keys(damages)],
  )
  return rows.map(
    ({ name }) =>
      `The PostgreSQL server of ${address} runs with ${name} = off: a crash of its machine ${damages[name]}. Set ${name} to on and reload the server's configuration.`,
  )
}

/**
 * Returns a warning if every role (PUBLIC) may connect to the database, and one of them is neither a superuser nor a member of
 * this service's role. Advisory locks and notifications belong to the whole database: such a role could take locks that this service waits for.
 */
const describeAccess = async (client: pg.Client, address: string): Promise<string[]> => {
  const { rows } = await client.query<{ name: string; others: string }>(
    `SELECT quote_ident(current_database()) AS name, string_agg(r.rolname, ', ' ORDER BY r.rolname) AS others
    FROM pg_roles r
    WHERE r.rolcanlogin AND NOT r.rolsuper AND r.rolname <> current_user
      AND NOT pg_has_role(r.oid, current_user::name, 'MEMBER')
      AND has_database_privilege('public', current_database(), 'CONNECT')
    HAVING count(*) > 0`,
  )
  return rows.map(
    ({ name, others }) =>
      `Every role of the PostgreSQL server may connect to ${address} (${others}), where it could hold locks that stop this service. Run: REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC`,
  )
}

/** Returns warnings about a database and its server, for the operator. */
export const listWarnings = async (client: pg.Client, address: string): Promise<string[]> => [
  ...(await describeDurability(client, address)),
  ...(await describeAccess(client, address)),
]
