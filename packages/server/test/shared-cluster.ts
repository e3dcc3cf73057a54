import { randomUUID } from 'node:crypto'
import pg from 'pg'

/** The variable with the address of `share-clusters.ts`. */
export const variable = 'WABAKIT_TEST_CLUSTERS'

const findPort = async (): Promise<string> => {
  const response = await fetch(`${process.env[variable]}/${process.env.VITEST_POOL_ID}`)
  if (!response.ok) throw new Error(await response.text())
  return await response.text()
}
let found: Promise<string> | undefined

/**
 * Creates an empty database on the PostgreSQL server that the test files of a vitest worker share, one after the other: its
 * start and its stop take seconds. Tests that stop a server or change its settings create their own cluster, and those that add a
 * role drop it: it belongs to the whole server, and each service warns of the roles that may log in.
 */
export const createPostgresDatabase = async (): Promise<string> => {
  found ??= findPort()
  const address = `postgres://wabakit:wabakit@127.0.0.1:${await found}`
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const client = new pg.Client({ connectionString: `${address}/postgres` })
  await client.connect()
  // Copying the files takes less CPU than logging each page.
  await client.query(`CREATE DATABASE ${name} STRATEGY FILE_COPY`).finally(() => client.end())
  return `${address}/${name}`
}

/** Selects the advisory locks that sessions wait for in this database: `pg_locks` lists those of the whole server. */
export const awaitedAdvisoryLocks = `SELECT FROM pg_locks l JOIN pg_database d ON l.database = d.oid
  WHERE l.locktype = 'advisory' AND NOT l.granted AND d.datname = current_database()`
