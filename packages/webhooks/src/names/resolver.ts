import { type LookupAddress, promises } from 'node:dns'
import { isIPv6, type LookupFunction } from 'node:net'
import { NameNotResolvedError } from './name-error.ts'
import { type Answer, queryName } from './query-name.ts'
import { createSystemFiles } from './system-files.ts'

export type ResolverOptions = {
  /** The hosts file. @default the file of this machine */
  readonly hosts?: string
  /** The file with search domains and `ndots`. @default /etc/resolv.conf */
  readonly resolvConf?: string
  /**
   * Returns the name servers, such as `192.0.2.53` or `127.0.0.1:5353`.
   * @default the servers of this machine, or those of `dns.setServers`
   */
  readonly listServers?: () => readonly string[]
  /** Time limit of a lookup, with all its queries, in milliseconds. @default 8_000 */
  readonly limitMs?: number
}

/** Maximum time for which an answer is used, in milliseconds. A shorter TTL counts. */
const maxCachedMs = 30_000

/** Maximum number of cached names. */
const maxCached = 10_000

const configured = String(new promises.Resolver().getServers())

/** Lists the servers of `dns.setServers`, or else those that this machine has now: they change with its network. */
const listSystemServers = (): readonly string[] => {
  const servers = promises.getServers()
  return String(servers) === configured ? new promises.Resolver().getServers() : servers
}

const loopback: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

const toAddresses = (addresses: readonly string[]): LookupAddress[] =>
  addresses
    .map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
    .sort((left, right) => left.family - right.family)

/** A running search for a name. It is aborted when all its callers have given up. */
type Search = {
  readonly found: Promise<readonly LookupAddress[]>
  readonly stop: AbortController
  callers: number
}

/**
 * Creates a resolver of host names. `dns.lookup` blocks a thread of the process for up to half a minute if a name server
 * is silent, cannot be aborted, and runs two at a time: two such names stop all others. This resolver sends DNS queries
 * without threads, so names do not wait for each other. It honors the hosts file, `localhost`, and the search domains and
 * `ndots` of resolv.conf, but no other source of nsswitch.conf. Concurrent lookups of a name share their queries.
 */
export const createResolver = (options: ResolverOptions = {}) => {
  const { listServers = listSystemServers, limitMs = 8_000 } = options
  const createFailure = (host: string, code: string) => new NameNotResolvedError(host, { code, limitMs })
  const files = createSystemFiles(options)
  const cache = new Map<string, { readonly addresses: readonly LookupAddress[]; readonly until: number }>()
  const searches = new Map<string, Search>()

  /** Lists the absolute names that a name may stand for, in the order of resolv.conf(5). */
  const listCandidates = (name: string): string[] => {
    if (name.endsWith('.')) return [name.slice(0, -1)]
    const { search, ndots } = files.readSearchRules()
    const longer = search.map((domain) => `${name}.${domain}`)
    return name.split('.').length > ndots ? [name, ...longer] : [...longer, name]
  }

  const queryFirst = async (name: string, signal: AbortSignal): Promise<Answer> => {
    const servers = listServers()
    let failure: unknown
    for (const candidate of listCandidates(name)) {
      try {
        const answer = await queryName(candidate, { servers, limitMs, signal })
        if (answer.addresses.length > 0) return answer
      } catch (error) {
        // A server that fails for one domain may know the next one.
        if (!(error instanceof NameNotResolvedError && error.code === 'ESERVFAIL')) throw error
        failure = error
      }
    }
    throw failure ?? createFailure(name, 'ENOTFOUND')
  }
  const search = async (name: string, stop: AbortController): Promise<readonly LookupAddress[]> => {
    const timer = setTimeout(() => stop.abort(createFailure(name, 'ETIMEOUT')), limitMs)
    try {
      const { addresses, ttl } = await queryFirst(name, stop.signal)
      if (cache.size >= maxCached) cache.clear()
      cache.set(name, { addresses, until: performance.now() + Math.min(maxCachedMs, ttl * 1_000) })
      return addresses
    } finally {
      clearTimeout(timer)
    }
  }

  /** Returns the running search for a name, or starts one. */
  const join = (name: string): Search => {
    const running = searches.get(name)
    if (running !== undefined && !running.stop.signal.aborted) return running
    const stop = new AbortController()
    const started = { found: search(name, stop), stop, callers: 0 }
    searches.set(name, started)
    const forget = (): void => {
      if (searches.get(name) === started) searches.delete(name)
    }
    started.found.then(forget, forget)
    return started
  }

  const findKnown = (name: string): readonly LookupAddress[] | undefined => {
    const listed = files.readHosts().get(name)
    if (listed !== undefined) return toAddresses(listed)
    // RFC 6761, section 6.3.
    if (name === 'localhost' || name.endsWith('.localhost')) return loopback
    const cached = cache.get(name)
    return cached !== undefined && performance.now() < cached.until ? cached.addresses : undefined
  }

  /**
   * Returns the addresses of a name, IPv4 first.
   *
   * @throws NameNotResolvedError, an error of the machine such as EMFILE, or the reason of the signal.
   */
  const resolve = async (host: string, signal?: AbortSignal): Promise<readonly LookupAddress[]> => {
    signal?.throwIfAborted()
    const name = host.toLowerCase()
    const known = findKnown(name)
    if (known !== undefined) return known
    const joined = join(name)
    joined.callers++
    const { promise: aborted, reject } = Promise.withResolvers<never>()
    const abort = (): void => reject(signal?.reason)
    signal?.addEventListener('abort', abort)
    try {
      return await Promise.race([joined.found, aborted])
    } finally {
      signal?.removeEventListener('abort', abort)
      joined.callers--
      if (joined.callers === 0) joined.stop.abort()
    }
  }

  return {
    resolve,
    /** Creates a replacement for `dns.lookup`, whose lookups end when the signal is aborted. */
    createLookup:
      (signal?: AbortSignal): LookupFunction =>
      (host, { family, all }, callback) => {
        resolve(host, signal).then(
          (addresses) => {
            const wanted =
              family === undefined || family === 0 ? undefined : Number(String(family).replace('IPv', ''))
            const usable = addresses.filter((each) => wanted === undefined || each.family === wanted)
            const [first] = usable
            if (first === undefined) callback(createFailure(host, 'ENOTFOUND'), [])
            else if (all === true) callback(null, usable)
            else callback(null, first.address, first.family)
          },
          (error: NodeJS.ErrnoException) => callback(error, []),
        )
      },
  }
}
