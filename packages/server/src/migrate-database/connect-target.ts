import pg from 'pg'
import { DatabaseOpenError } from '../stores/errors.ts'
import { hasSchema, hasUnfinishedCopy, withSchemaLock } from '../stores/postgres/migrate.ts'
import { toOpenError } from '../stores/postgres/open-error.ts'
import { createPrimary } from '../stores/postgres/primary.ts'
import { prepareSession } from '../stores/postgres/session.ts'
import { createSocket } from '../stores/postgres/socket.ts'

/** The advisory lock of the copying process: `wabacopy` in ASCII. */
const copyLock = 0x77616261636f7079n
/** Maximum time to wait for the lock, in milliseconds: a killed process's last statement may still be running. */
const lockTimeoutMs = 3_000
const connectTimeoutMs = 5_000
const responseTimeoutMs = 120_000

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

export const startOverHint = 'Name an empty database, or drop its schema "wabakit" to start again.'

/**
 * Rejects a database that a server may have used. That server might still be running, and would deliver rows while they are
 * copied.
 *
 * @returns whether a copy into the database has started.
 */
export const checkContents = async (client: pg.Client, address: string): Promise<boolean> => {
  const hasBegun = await hasUnfinishedCopy(client)
  if (hasBegun || !(await hasSchema(client))) return hasBegun
  throw new DatabaseOpenError(
    address,
    `It is in use already, or a migration into it is finished. ${startOverHint}`,
  )
}

/**
 * Connects to a database to copy into it. Locks out other copies until the connection ends.
 *
 * @throws DatabaseOpenError if the database cannot be reached or used, a server has used it, or another process copies
 *   into it.
 */
export const connectTarget = async (url: string, address: string): Promise<pg.Client> => {
  const connection = {
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    stream: () => createSocket(connectTimeoutMs),
  }
  const primary = createPrimary(connection)
  await primary.find().catch((error: unknown) => {
    throw toOpenError(error, address)
  })
  const client = new pg.Client({
    ...connection,
    connectionString: primary.address(),
    application_name: 'wabakit migrate-database',
    query_timeout: responseTimeoutMs,
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
