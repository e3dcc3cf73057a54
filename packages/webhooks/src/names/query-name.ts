import { type LookupAddress, promises } from 'node:dns'
import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { NameNotResolvedError } from './name-error.ts'

/** The addresses of a name, IPv4 first, and how long they are valid, in seconds. */
export type Answer = { readonly addresses: readonly LookupAddress[]; readonly ttl: number }

type QueryOptions = {
  /** Name servers, in order, such as `192.0.2.53` or `127.0.0.1:5353`. */
  readonly servers: readonly string[]
  /** Time limit of each query, in milliseconds. */
  readonly limitMs: number
  readonly signal: AbortSignal
}

type Family = 4 | 6

/** When further queries start while there is no answer, in milliseconds: packets get lost, and servers fail. */
const repeatsMs = [1_000, 3_000]

/** How long the addresses of one family wait for those of the other, in milliseconds (RFC 8305, section 3). */
const otherFamilyMs = 50

/** The codes for a name that does not exist, and for one without addresses of this family. */
const isEmpty = (code: string): boolean => code === 'ENOTFOUND' || code === 'ENODATA'

const getCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)

/** c-ares reports a machine without free descriptors as ECONNREFUSED. @throws the real error. */
const checkDescriptors = (): void => closeSync(openSync(devNull, 'r'))

/**
 * Queries the addresses of an absolute name. Each query has a channel of its own, which is closed with it. Slow answers
 * count: a later query does not end an earlier one.
 *
 * @returns an answer without addresses if the name has none.
 * @throws NameNotResolvedError if no server answers or all fail, EMFILE or ENFILE if there is no free descriptor, or the
 *   reason of the signal.
 */
export const queryName = (name: string, { servers, limitMs, signal }: QueryOptions): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const found = new Map<Family, readonly { readonly address: string; readonly ttl: number }[]>()
    const queries = new Set<promises.Resolver>()
    const timers = new Set<NodeJS.Timeout>()
    let isOver = false
    let started = 0
    let running = 0

    const end = (): void => {
      isOver = true
      signal.removeEventListener('abort', abort)
      for (const timer of timers) clearTimeout(timer)
      for (const query of queries) query.cancel()
    }
    const fail = (error: unknown): void => {
      if (isOver) return
      end()
      reject(error)
    }
    const abort = (): void => fail(signal.reason)
    const succeed = (): void => {
      if (isOver) return
      end()
      const records = [4 as const, 6 as const].flatMap((family) =>
        (found.get(family) ?? []).map((each) => ({ ...each, family })),
      )
      resolve({
        addresses: records.map(({ address, family }) => ({ address, family })),
        ttl: Math.min(...records.map(({ ttl }) => ttl)),
      })
    }

    const ask = async (resolver: promises.Resolver, family: Family): Promise<string | undefined> => {
      try {
        found.set(
          family,
          await (family === 4
            ? resolver.resolve4(name, { ttl: true })
            : resolver.resolve6(name, { ttl: true })),
        )
      } catch (error) {
        const code = getCode(error)
        if (!isEmpty(code)) return code
        found.set(family, found.get(family) ?? [])
      }
      if (isOver) return
      if (found.size === 2) succeed()
      else if (found.get(family)?.length !== 0) timers.add(setTimeout(succeed, otherFamilyMs))
      return
    }

    const start = async (): Promise<void> => {
      const server = servers[started % servers.length]
      started++
      running++
      // Without `maxTimeout`, c-ares gives up after 5 s. Node.js 22 does not have the option.
      const resolver = new promises.Resolver({ timeout: limitMs, maxTimeout: limitMs, tries: 1 })
      if (server !== undefined) resolver.setServers([server])
      queries.add(resolver)
      const families = ([4, 6] as const).filter((family) => !found.has(family))
      const codes = await Promise.all(families.map((family) => ask(resolver, family)))
      running--
      const code = codes.find((each) => each !== undefined)
      if (isOver || code === undefined) return
      if (code === 'ECONNREFUSED') checkDescriptors()
      if (started < servers.length) return start()
      if (running === 0) throw new NameNotResolvedError(name, { code, limitMs })
    }
    const startOrFail = (): void => void start().catch(fail)

    signal.addEventListener('abort', abort)
    if (signal.aborted) return abort()
    for (const ms of repeatsMs) timers.add(setTimeout(startOrFail, ms))
    startOrFail()
  })
