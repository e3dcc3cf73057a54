import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { findFreePort } from '../../../packages/server/test/free-port.ts'

/** A private Redis server that writes all changes to a file. */
export type Redis = { readonly url: string; readonly pid: number; remove(): Promise<void> }

/** With `always`, the server syncs before each response. With `everysec`, a crash can lose up to 2 s of writes. */
export type Appendfsync = 'always' | 'everysec'

/** Starts a Redis server. Returns `undefined` if `redis-server` is not installed. */
export const startRedis = async (appendfsync: Appendfsync): Promise<Redis | undefined> => {
  const folder = await mkdtemp(join(tmpdir(), 'wabakit-redis-'))
  const port = await findFreePort()
  const settings = { port, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'yes', appendfsync }
  const child = spawn(
    'redis-server',
    Object.entries(settings).flatMap(([name, value]) => [`--${name}`, `${value}`]),
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const remove = async (): Promise<void> => {
    if (child.pid !== undefined && child.exitCode === null) {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    }
    await rm(folder, { recursive: true })
  }
  const waitUntilReady = async (): Promise<boolean> => {
    for await (const line of createInterface(child.stdout)) if (/ready to accept/i.test(line)) break
    // Discards further output, so that the pipe does not fill up.
    child.stdout.resume()
    return child.exitCode === null
  }
  const isReady = await Promise.race([waitUntilReady(), once(child, 'error').then(() => false)])
  if (isReady && child.pid !== undefined) return { url: `redis://127.0.0.1:${port}`, pid: child.pid, remove }
  await remove()
  return undefined
}
