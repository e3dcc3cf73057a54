import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      server.close(() => resolve(port))
    })
  })

/** A Redis of one's own, which writes everything to a file. */
export type Redis = { readonly url: string; readonly pid: number; remove(): Promise<void> }

/** When its file is synced: before each answer, or once a second, so that a machine that fails loses up to two. */
export type Appendfsync = 'always' | 'everysec'

/** Starts one; `undefined` where there is no `redis-server`. */
export const startRedis = async (appendfsync: Appendfsync): Promise<Redis | undefined> => {
  const folder = await mkdtemp(join(tmpdir(), 'wabakit-redis-'))
  const port = await freePort()
  const settings = { port, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'yes', appendfsync }
  const child = spawn(
    'redis-server',
    Object.entries(settings).flatMap(([name, value]) => [`--${name}`, `${value}`]),
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const remove = async (): Promise<void> => {
    if (child.pid !== undefined && child.exitCode === null) {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
    await rm(folder, { recursive: true })
  }
  const ready = async (): Promise<boolean> => {
    for await (const line of createInterface(child.stdout)) if (/ready to accept/i.test(line)) break
    // What it tells later is not kept, but must be taken off its hands.
    child.stdout.resume()
    return child.exitCode === null
  }
  const isThere = await Promise.race([ready(), once(child, 'error').then(() => false)])
  if (isThere && child.pid !== undefined) return { url: `redis://127.0.0.1:${port}`, pid: child.pid, remove }
  await remove()
  return undefined
}
