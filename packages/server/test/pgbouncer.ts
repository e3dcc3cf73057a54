import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { findFreePort, isListening } from './free-port.ts'
import { requireProgram } from './programs.ts'

const program = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((path) => existsSync(path))

/** Set if PgBouncer is installed. */
export const hasPgBouncer = requireProgram('pgbouncer', program !== undefined)

/** A real PgBouncer in front of a database. */
export type PgBouncer = { readonly url: string; close(): Promise<void> }

/** Starts a PgBouncer with a pool mode. */
export const startPgBouncer = async (
  database: string,
  poolMode: 'session' | 'transaction' | 'statement',
): Promise<PgBouncer> => {
  const target = new URL(database)
  const folder = await mkdtemp(join(tmpdir(), 'wabakit-pgbouncer-'))
  const port = await findFreePort()
  const settings = [
    '[databases]',
    `* = host=${target.hostname} port=${target.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = trust',
    `auth_file = ${folder}/users`,
    `pool_mode = ${poolMode}`,
    'ignore_startup_parameters = extra_float_digits',
    // PgBouncer does not run as root.
    ...(process.getuid?.() === 0 ? ['user = nobody'] : []),
  ]
  await writeFile(join(folder, 'pgbouncer.ini'), `${settings.join('\n')}\n`)
  await writeFile(join(folder, 'users'), `"${target.username}" "${decodeURIComponent(target.password)}"\n`)
  await chmod(folder, 0o755)
  const child = spawn(program ?? 'pgbouncer', [join(folder, 'pgbouncer.ini')], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  for (let tries = 0; tries < 200 && !(await isListening(port)); tries += 1) await setTimeout(50)
  target.port = String(port)
  return {
    url: target.href,
    close: async () => {
      child.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true })
    },
  }
}
