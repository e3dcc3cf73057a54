import { isIP, type LookupFunction } from 'node:net'
import { buildConnector } from 'undici'
import { guardResponses } from './response-guard.ts'
import { findRefusal, type TargetPolicy } from './target-policy.ts'

type GuardedConnectorOptions = TargetPolicy & {
  /** Resolves host names, like `dns.lookup`. */
  readonly lookup: LookupFunction
}

/** Maximum time to connect, in milliseconds. */
const timeoutMs = 10_000

type Refuse = (address: string) => Error | undefined

/**
 * Returns a lookup that fails if any of the resolved addresses is refused, because a name with such an address cannot be trusted.
 */
const guardLookup =
  (lookup: LookupFunction, refuse: Refuse): LookupFunction =>
  (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found, family) => {
      if (error !== null) return callback(error, [])
      const addresses =
        typeof found === 'string' ? [{ address: found, family: family ?? isIP(found) }] : found
      const refusal = addresses.map(({ address }) => refuse(address)).find((each) => each !== undefined)
      if (refusal !== undefined) return callback(refusal, [])
      const [first] = addresses
      if (options.all === true || first === undefined) return callback(null, addresses)
      callback(null, first.address, first.family)
    })
  }

/**
 * Creates a connector that connects only to addresses allowed by the policy. It checks a literal address before it
 * connects (Node.js does not look up literal addresses), every address that the lookup returns (there is no second
 * lookup), and the address that the socket is connected to. It also limits what an endpoint can send.
 */
export const createGuardedConnector = ({
  lookup,
  ...policy
}: GuardedConnectorOptions): buildConnector.connector => {
  const createConnector = (protocol: string): buildConnector.connector => {
    const refuse: Refuse = (address) => findRefusal(address, protocol, policy)
    const connect = buildConnector({
      lookup: guardLookup(lookup, refuse),
      timeout: timeoutMs,
      allowH2: false,
    })
    return (options, callback) => {
      const early = isIP(options.hostname) === 0 ? undefined : refuse(options.hostname)
      if (early !== undefined) return callback(early, null)
      connect(options, (error, socket) => {
        if (error !== null) return callback(error, null)
        const refusal = refuse(socket.remoteAddress ?? '')
        if (refusal === undefined) return callback(null, guardResponses(socket))
        socket.destroy()
        callback(refusal, null)
      })
    }
  }
  const connectors = { 'http:': createConnector('http:'), 'https:': createConnector('https:') }
  return (options, callback) =>
    connectors[options.protocol === 'https:' ? 'https:' : 'http:'](options, callback)
}
