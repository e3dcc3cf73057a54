import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createPool, type Pool, type PoolOptions } from 'mysql2/promise'
import { findFreePort } from '../../server/test/free-port.ts'
import { requireProgram } from '../../server/test/programs.ts'

const run = promisify(execFile)
const version = spawnSync('mariadbd', ['--version'], { encoding: 'utf8' })

/** Set if MariaDB's server is installed. */
export const hasMariadb = requireProgram('mariadbd', version.status === 0)

/** The files of a new database. Creating them takes seconds, so the first ones are kept as a template for all others. */
const template = join(tmpdir(), `wabakit-mariadb-template-${version.stdout?.match(/[\d.]+/)?.[0]}`)

const install = async (data: string): Promise<void> => {
  if (!existsSync(template)) {
    const draft = `${data}-template`
    await run('mariadb-install-db', [
      ...['--no-defaults', '--user=root', `--datadir=${draft}`, '--skip-test-db'],
      '--auth-root-authentication-method=normal',
    ])
    // Another process may have been faster.
    await rename(draft, template).catch(() => {})
  }
  await run('cp', ['-a', template, data])
}

/** Starts a real MariaDB in its own folder. */
export const startMariadb = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wabakit-mariadb-'))
  const [data, port] = [join(folder, 'data'), await findFreePort()]
  await install(data)
  const server = spawn('mariadbd', [
    ...['--no-defaults', '--user=root', `--datadir=${data}`, `--socket=${join(folder, 'socket')}`],
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
