import { execFileSync } from 'node:child_process'
import { close, closeSync, mkdtempSync, open, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Blocks every thread of libuv's pool, as silent name servers and hung file systems do: each opens a pipe that has no
 * writer. What needs a thread waits until the result is called.
 */
export const blockThreads = (): (() => Promise<void>) => {
  const folder = mkdtempSync(join(tmpdir(), 'blocked-'))
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const size = Number(process.env.UV_THREADPOOL_SIZE ?? 4)
  const opened = Array.from(
    { length: size },
    () => new Promise<void>((resolve) => open(pipe, 'r', (_error, reader) => close(reader, () => resolve()))),
  )
  return async () => {
    // Opening for both directions does not block, and gives the readers a writer.
    const writer = openSync(pipe, 'r+')
    await Promise.all(opened)
    closeSync(writer)
    rmSync(folder, { recursive: true })
  }
}
