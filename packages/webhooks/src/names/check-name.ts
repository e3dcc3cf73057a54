import { isIP } from 'node:net'
import { NameNotResolvedError } from './name-error.ts'
import type { createResolver } from './resolver.ts'

/**
 * Creates a function that rejects if the host of a URL cannot be resolved within some milliseconds. Call it before `fetch`, which
 * looks a name up in a thread: if a name server is silent, that blocks the lookups of the whole process, cannot be aborted,
 * and may keep the process alive for minutes.
 *
 * @throws NameNotResolvedError, an error of the machine such as EMFILE, or TypeError for an invalid URL.
 */
export const createNameCheck =
  ({ resolve }: Pick<ReturnType<typeof createResolver>, 'resolve'>) =>
  async (url: string, limitMs = 5_000): Promise<void> => {
    const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) !== 0) return
    const ended = new AbortController()
    const silence = new NameNotResolvedError(host, { code: 'ETIMEOUT', limitMs })
    const timer = setTimeout(() => ended.abort(silence), limitMs)
    try {
      await resolve(host, ended.signal)
    } finally {
      clearTimeout(timer)
    }
  }
