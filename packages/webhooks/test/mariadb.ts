import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createPool, type Pool, type PoolOptions } from 'mysql2/promise'
import { findFreePort } from '../../server/test/postgres-cluster.ts'

/** Set if MariaDB's server is installed. */
export const hasMariadb = spawnSync('mariadbd', ['--version']).status === 0

/** Starts a real MariaDB in its own folder. */
export const startMariadb = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wabakit-mariadb-'))
  const [data, user, port] = [join(folder, 'data'), '--user=root', await findFreePort()]
  await promisify(execFile)('mariadb-install-db', [
    ...['--no-defaults', user, `--datadir=${data}`, '--skip-test-db'],
    '--auth-root-authentication-method=normal',
  ])
  const server = spawn('mariadbd', [
    ...['--no-defaults', user, `--datadir=${data}`, `--socket=${join(folder, 'socket')}`],
    ...[`--port=${port}`, '--bind-address=127.0.0.1', '--innodb-flush-log-at-trx-commit=0'],
  ])
  const ready = Promise.withResolvers<void>()
  let log = ''
  server.stderr.on('data', (chunk) => {
    log += chunk
    if (log.includes('ready for connections')) ready.resolve()
  })
  server.once('exit', () => ready.reject(new Error(log)))
  await ready.promise
  const pools: Pool[] = []
  const connect = (options: PoolOptions = {}): Pool => {
    const pool = createPool({ host: '127.0.0.1', port, user: 'root', ...options })
    pools.push(pool)
    return pool
  }
  await connect().query('CREATE DATABASE webhooks')
  return {
    /** The URL of the database. */
    url: `mysql://root@127.0.0.1:${port}/webhooks`,
    /** A pool of connections, closed together with the server. */
    pool: (options?: PoolOptions): Pool => connect({ database: 'webhooks', ...options }),
    /** Stops it and removes its folder. */
    stop: async (): Promise<void> => {
      await Promise.all(pools.map((pool) => pool.end()))
      server.kill()
      if (server.exitCode === null) await once(server, 'exit')
      rmSync(folder, { recursive: true })
    },
  }
}
