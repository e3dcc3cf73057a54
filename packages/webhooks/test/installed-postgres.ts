import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { findFreePort } from '../../server/test/free-port.ts'

const run = promisify(execFile)

/** The programs of a PostgreSQL: those of the distribution with the highest version, or those of a package from npm. */
export const distribution = globSync('/usr/lib/postgresql/*/bin')
  .toSorted((left, right) => left.localeCompare(right, 'en', { numeric: true }))
  .at(-1)
export const findPackaged = (folder: string): string | undefined => {
  const native = join(folder, 'native')
  if (!existsSync(join(native, 'bin/postgres'))) return undefined
  // npm packages contain no links. The package's script makes them, and may not have run.
  execFileSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder })
  for (const name of ['initdb', 'postgres']) chmodSync(join(native, 'bin', name), 0o755)
  return join(native, 'bin')
}

/** PostgreSQL refuses to run as root. */
const findUser = (): { uid?: number; gid?: number } => {
  if (process.getuid?.() !== 0) return {}
  const read = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
  return { uid: read('-u'), gid: read('-g') }
}

/** Starts a PostgreSQL of these programs with its own default settings, except that it does not sync. */
export const startInstalledPostgres = async (programs: string, settings: readonly string[] = []) => {
  const folder = mkdtempSync(join(tmpdir(), 'wabakit-postgres-'))
  const [data, port, user] = [join(folder, 'data'), await findFreePort(), findUser()]
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid)
  const initialize = ['--username=wabakit', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
  await run(join(programs, 'initdb'), [...initialize, `--pgdata=${data}`], user)
  const options = [`port=${port}`, 'unix_socket_directories=', 'fsync=off', ...settings]
  const server = spawn(
    join(programs, 'postgres'),
    ['-D', data, ...options.flatMap((setting) => ['-c', setting])],
    user,
  )
  const ready = Promise.withResolvers<void>()
  let log = ''
  server.stderr.on('data', (chunk) => {
    log += chunk
    if (log.includes('ready to accept connections')) ready.resolve()
  })
  server.once('exit', () => ready.reject(new Error(log)))
  await ready.promise
  const connectionString = `postgres://wabakit@127.0.0.1:${port}/postgres`
  const pools: pg.Pool[] = []
  return {
    connectionString,
    pid: server.pid ?? 0,
    /** Returns what the server has logged. */
    readLog: (): string => log,
    /** A pool of connections, closed together with the server. */
    pool: ({ max = 8 } = {}): pg.Pool => {
      const pool = new pg.Pool({ connectionString, max })
      pool.on('error', () => {})
      pool.on('connect', (client) => client.on('error', () => {}))
      pools.push(pool)
      return pool
    },
    /** Stops it and removes its folder. */
    stop: async (): Promise<void> => {
      await Promise.all(pools.map((pool) => pool.end()))
      server.kill('SIGINT')
      if (server.exitCode === null) await once(server, 'exit')
      rmSync(folder, { recursive: true })
    },
  }
}
