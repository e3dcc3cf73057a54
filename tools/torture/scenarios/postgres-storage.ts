import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import type { PostgresEngine } from '../postgres-engine.ts'
import { runSql } from '../postgres-sql.ts'
import { awaitRefusals } from '../refusals.ts'
import { createScenario, type Ordeal } from '../scenario.ts'
import { unready } from '../unready.ts'

/** Causes a storage failure, and ends it when `isNoticed` has resolved. */
type Trouble = (address: string, isNoticed: () => Promise<void>) => Promise<void>

/** The size of a PostgreSQL log segment. Without space for one, the server would stop. */
const roomBytes = 2 ** 24

/** Fills the table of events beyond the size allowed later, and empties it again. */
const fillTable = async (address: string): Promise<void> => {
  await runSql(address, 'ALTER TABLE wabakit.events SET (autovacuum_enabled = off)')
  await runSql(
    address,
    `INSERT INTO wabakit.events (position, id, organization_id, name, subject, channel, digits, payload, occurred_at)
     SELECT -each, 'evt_filler_' || each, 'filler', '', '', '', '', repeat('x', 1000), 0
     FROM generate_series(1, ${roomBytes / 800}) AS each`,
  )
  await runSql(address, `DELETE FROM wabakit.events WHERE organization_id = 'filler'`)
  // With this fill factor, nearly every row needs a new page.
  await runSql(address, 'ALTER TABLE wabakit.events SET (fillfactor = 10)')
}

/** Sets the maximum file size for writes by a database's connections, including later ones. */
const limitFiles = async (address: string, limit: string): Promise<void> => {
  const [server] = await runSql(
    address,
    `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid`,
  )
  const backends = await runSql(
    address,
    'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  )
  // Only a process's user may change its limits.
  const { uid, gid } = await stat(`/proc/${server?.pid}`)
  const limitOne = (pid: unknown): Promise<unknown> =>
    promisify(execFile)('prlimit', [`--pid=${pid}`, `--fsize=${limit}:`], { uid, gid })
  await limitOne(server?.pid)
  // A backend may have ended in the meantime.
  await Promise.allSettled(backends.map(({ pid }) => limitOne(pid)))
}

/**
 * Simulates a full disk for tables: PostgreSQL treats a file that may not grow like a full disk (postmaster.c: "ulimit
 * violations work like disk full").
 */
const fillDisk: Trouble = async (address, isNoticed) => {
  await limitFiles(address, String(roomBytes))
  await isNoticed()
  await limitFiles(address, 'unlimited')
}

/** Returns whether PostgreSQL ended a transaction because of a deadlock. Throws any other error. */
const isDeadlock = (error: unknown): boolean => {
  if (error instanceof pg.DatabaseError && error.code === '40P01') return true
  throw error
}

/** Holds a lock needed by every change for longer than a statement may take. */
const lockTables: Trouble = async (address, isNoticed) => {
  const other = new pg.Client({ connectionString: address, application_name: 'torture' })
  other.on('error', () => {})
  await other.connect()
  // Locks in the order of a settlement. A change in the opposite order can end this with a deadlock.
  const lock = async (): Promise<unknown> => {
    await other.query('BEGIN')
    return other.query('LOCK TABLE wabakit.deliveries, wabakit.events IN EXCLUSIVE MODE')
  }
  while (await lock().then(() => false, isDeadlock)) await other.query('ROLLBACK')
  await isNoticed()
  await other.query('COMMIT')
  await other.end()
}

/** Makes the server read-only and cuts its connections, as if it had been demoted to a standby. */
const demote: Trouble = async (address, isNoticed) => {
  const name = new URL(address).pathname.slice(1)
  await runSql(address, `ALTER DATABASE ${name} SET default_transaction_read_only = on`)
  await runSql(
    address,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  )
  await isNoticed()
  const postgres = address.replace(/\/[^/]+$/, '/postgres')
  await runSql(postgres, `ALTER DATABASE ${name} RESET default_transaction_read_only`)
}

/**
 * The disk is full, the server is read-only, or tables are locked. Requests get only 503, and the service continues
 * without a restart.
 */
export const troubleStorage: Ordeal<PostgresEngine> = async (environment, { times, progress }) => {
  const { random, fleet, load } = environment
  const { address } = environment.database
  await fillTable(address)
  const troubles = Object.entries({ fillDisk, demote, lockTables })
  const failures: string[] = []
  for (let round = 0; round < times; round++) {
    const [name, cause] = troubles[round % troubles.length] ?? ['', fillDisk]
    await setTimeout(random.between(50, 300))
    await cause(address, async () => {
      if (!(await awaitRefusals(load))) failures.push(`${name}: requests were not refused with 503`)
    })
    failures.push(...(await unready(fleet)))
    progress(`${round + 1} of ${times} times full, locked or read-only`)
  }
  return failures
}

/** Failures of PostgreSQL's storage. */
export const postgresStorage = createScenario(troubleStorage, {
  done: 'times full, locked or read-only',
})
