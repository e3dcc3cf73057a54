import pg from 'pg'
import { hasSchema, withSchemaLock } from '../postgres/migrate.ts'
import { toOpenError } from '../postgres/open-error.ts'
import { prepareSession } from '../postgres/session.ts'
import { hasUnfinishedCopy } from '../postgres/unfinished-copy.ts'
import { DatabaseOpenError } from '../sqlite/errors/database-open-error.ts'

/** `wabacopy` in ASCII: the advisory lock of the process that copies. */
const copyLock = 0x77616261636f7079n
/** How long a process that was killed may still be finishing its last statement at the server. */
const lockTimeoutMs = 3_000
const connectTimeoutMs = 5_000
const silenceMs = 120_000

const lockNotAvailable = '55P03'

const takeLock = async (client: pg.Client, address: string): Promise<void> => {
  await client.query(`SET lock_timeout = ${lockTimeoutMs}`)
  try {
    await client.query('SELECT pg_advisory_lock($1)', [copyLock])
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== lockNotAvailable) throw error
    throw new DatabaseOpenError(address, 'Another migration into it is running. Let that one finish.', {
      cause: error,
    })
  }
  await client.query('SET lock_timeout = 0')
}

/** What to do with a database that cannot be copied into. */
export const anew = 'Name an empty database, or drop its schema "wabakit" to begin anew.'

/**
 * Refuses a database that a server has used: it would be there while rows come, and deliver them.
 *
 * @returns whether a copy into it has begun.
 */
export const checkContents = async (client: pg.Client, address: string): Promise<boolean> => {
  const hasBegun = await hasUnfinishedCopy(client)
  if (hasBegun || !(await hasSchema(client))) return hasBegun
  throw new DatabaseOpenError(address, `It is in use already, or a migration into it is finished. ${anew}`)
}

/**
 * Connects to a database to copy into it; no other process does so until the connection ends.
 *
 * @throws DatabaseOpenError when it cannot be reached or used, a server has used it, or another process copies into it.
 */
export const connectTarget = async (url: string, address: string): Promise<pg.Client> => {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'wabakit migrate-database',
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: silenceMs,
    keepAlive: true,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await prepareSession(client, 0)
    await takeLock(client, address)
    await withSchemaLock(client, address, () => checkContents(client, address))
    return client
  } catch (error) {
    client.end().catch(() => {})
    throw toOpenError(error, address)
  }
}
