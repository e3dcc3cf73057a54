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

/** Makes trouble, and ends it when `isNoticed` has resolved. */
type Trouble = (address: string, isNoticed: () => Promise<void>) => Promise<void>

/** The size of a segment of PostgreSQL's log, which must always find room: else the server gives up altogether. */
const roomBytes = 2 ** 24

/** Fills the table of events up to more than there is room for, and leaves it empty. */
const fillTable = async (address: string): Promise<void> => {
  await runSql(address, 'ALTER TABLE wabakit.events SET (autovacuum_enabled = off)')
  await runSql(
    address,
    `INSERT INTO wabakit.events (position, id, organization_id, name, subject, channel, digits, payload, occurred_at)
     SELECT -each, 'evt_filler_' || each, 'filler', '', '', '', '', repeat('x', 1000), 0
     FROM generate_series(1, ${roomBytes / 800}) AS each`,
  )
  await runSql(address, `DELETE FROM wabakit.events WHERE organization_id = 'filler'`)
  // Nearly every row then needs more room.
  await runSql(address, 'ALTER TABLE wabakit.events SET (fillfactor = 10)')
}

/** Sets how long files may be that the connections to a database write, also those that are made from now on. */
const limitFiles = async (address: string, limit: string): Promise<void> => {
  const [server] = await runSql(
    address,
    `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid`,
  )
  const backends = await runSql(
    address,
    'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  )
  // Only its own user may do that to a process.
  const { uid, gid } = await stat(`/proc/${server?.pid}`)
  const limitOne = (pid: unknown): Promise<unknown> =>
    promisify(execFile)('prlimit', [`--pid=${pid}`, `--fsize=${limit}:`], { uid, gid })
  await limitOne(server?.pid)
  // Those that are ending just now need it no more.
  await Promise.allSettled(backends.map(({ pid }) => limitOne(pid)))
}

/**
 * The disk is full, as far as tables are concerned: PostgreSQL takes a file that may not grow for a disk that is full
 * ("ulimit violations work like disk full", says its postmaster.c).
 */
const fillDisk: Trouble = async (address, isNoticed) => {
  await limitFiles(address, String(roomBytes))
  await isNoticed()
  await limitFiles(address, 'unlimited')
}

/** Somebody else holds a lock that every change needs, for longer than a statement may take. */
const lockTables: Trouble = async (address, isNoticed) => {
  const other = new pg.Client({ connectionString: address, application_name: 'torture' })
  await other.connect()
  await other.query('BEGIN')
  await other.query('LOCK TABLE wabakit.events, wabakit.deliveries IN EXCLUSIVE MODE')
  await isNoticed()
  await other.query('COMMIT')
  await other.end()
}

/** The server only reads, as one that was demoted to a standby; its connections are cut off by that. */
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

/** The disk is full, the server only reads, tables are locked: 503 and nothing else, and it goes on without a restart. */
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
    progress(`${round + 1} of ${times} times full, locked or only to be read`)
  }
  return failures
}

/** Troubles with the storage of PostgreSQL. */
export const postgresStorage = createScenario(troubleStorage, {
  done: 'times full, locked or only to be read',
})
