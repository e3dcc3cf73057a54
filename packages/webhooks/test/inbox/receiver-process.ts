import { once } from 'node:events'
import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { createReceiver, type SqlInboxOptions, sqlInbox, standardWebhooks } from '@wabakit/webhooks'
import { toNodeHandler } from '@wabakit/webhooks/node'

// A process with a receiver whose only effect is one row per event. It prints its port once it listens. On SIGTERM, it
// handles what is stored, and ends.

const { DATABASE = '', WEBHOOK_SECRET = '' } = process.env
const verify = standardWebhooks({ secrets: [WEBHOOK_SECRET] })
const options: SqlInboxOptions = { pollMs: 100 }
const limits = { claimTtlMs: 1_000, handlerTimeoutMs: 500 }

/** Takes some time, so that kills interrupt handlers. */
const work = () => sleep(Math.random() * 20)

const openSqlite = () => {
  const database = new DatabaseSync(DATABASE, { timeout: 5_000 })
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  database.exec('CREATE TABLE IF NOT EXISTS effects (effect text NOT NULL)')
  const insert = database.prepare('INSERT INTO effects VALUES (?)')
  return createReceiver({ verify, inbox: sqlInbox(database, options), ...limits }).onAny(
    async (_, { delivery, atCompletion }) => {
      atCompletion(() => insert.run(delivery.id ?? ''))
      await work()
    },
  )
}

const openPostgres = async () => {
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({ connectionString: DATABASE })
  pool.on('error', () => {})
  await pool.query('CREATE TABLE IF NOT EXISTS effects (effect text NOT NULL)')
  return createReceiver({ verify, inbox: sqlInbox(pool, options), ...limits }).onAny(
    async (_, { delivery, transaction }) => {
      const client = await transaction()
      await client.query('INSERT INTO effects VALUES ($1)', [delivery.id])
      await work()
    },
  )
}

const openMysql = async () => {
  const { createPool } = await import('mysql2/promise')
  const pool = createPool(DATABASE)
  await pool.query('CREATE TABLE IF NOT EXISTS effects (effect text NOT NULL)')
  return createReceiver({ verify, inbox: sqlInbox(pool, options), ...limits }).onAny(
    async (_, { delivery, transaction }) => {
      const connection = await transaction()
      await connection.execute('INSERT INTO effects VALUES (?)', [delivery.id ?? ''])
      await work()
    },
  )
}

const open = () => {
  if (DATABASE.startsWith('postgres')) return openPostgres()
  return DATABASE.startsWith('mysql') ? openMysql() : openSqlite()
}

const receiver = await open()
const server = createServer(toNodeHandler(receiver)).listen(0, '127.0.0.1')
await once(server, 'listening')
receiver.start()
process.once('SIGTERM', async () => {
  await receiver.stop()
  // Handles the remaining entries, including those of a killed process once its claims have expired.
  for (let left = await receiver.drain(); left.remaining > 0; left = await receiver.drain()) await sleep(100)
  process.exit()
})
const address = server.address()
console.log(typeof address === 'object' ? address?.port : undefined)
