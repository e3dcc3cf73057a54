import type pg from 'pg'

/**
 * Returns a warning if roles without any rights to the tables may connect to the database. Advisory locks and
 * notifications belong to the whole database: such a role could take locks that this service waits for.
 */
export const describeAccess = async (client: pg.Client, address: string): Promise<string[]> => {
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
