import { isIP, type LookupFunction, type Socket } from 'node:net'
import { buildConnector } from 'undici'
import { checkAddress, type TargetPolicy } from './target-policy.ts'

type GuardedConnectorOptions = {
  readonly policy: TargetPolicy
  /** Resolves host names, like `dns.lookup`. */
  readonly lookup: LookupFunction
}

/** Maximum time to connect, in milliseconds. */
const timeoutMs = 10_000

type Check = (address: string) => void

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

/** Fails a lookup if any resolved address is refused, because a name with such an address cannot be trusted. */
const guardLookup =
  (lookup: LookupFunction, check: Check): LookupFunction =>
  (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found, family) => {
      if (error !== null) return callback(error, [])
      const addresses =
        typeof found === 'string' ? [{ address: found, family: family ?? isIP(found) }] : found
      try {
        for (const { address } of addresses) check(address)
      } catch (refusal) {
        return callback(toError(refusal), [])
      }
      const [first] = addresses
      if (options.all === true || first === undefined) return callback(null, addresses)
      callback(null, first.address, first.family)
    })
  }

const checkSocket = (socket: Socket, check: Check): Error | undefined => {
  try {
    check(socket.remoteAddress ?? '')
    return undefined
  } catch (error) {
    socket.destroy()
    return toError(error)
  }
}

/**
 * Creates a connector that connects only to addresses allowed by the policy. It checks a literal address before
 * connecting (Node does not look those up), every address returned by the lookup (there is no second lookup), and the
 * address the socket is connected to.
 */
export const createGuardedConnector = ({
  policy,
  lookup,
}: GuardedConnectorOptions): buildConnector.connector => {
  const createConnector = (protocol: string): buildConnector.connector => {
    const check: Check = (address) => checkAddress(address, protocol, policy)
    const connect = buildConnector({ lookup: guardLookup(lookup, check), timeout: timeoutMs, allowH2: false })
    return (options, callback) => {
      try {
        if (isIP(options.hostname) !== 0) check(options.hostname)
      } catch (error) {
        return callback(toError(error), null)
      }
      connect(options, (error, socket) => {
        if (error !== null) return callback(error, null)
        const refusal = checkSocket(socket, check)
        if (refusal === undefined) callback(null, socket)
        else callback(refusal, null)
      })
    }
  }
  const connectors = { 'http:': createConnector('http:'), 'https:': createConnector('https:') }
  return (options, callback) =>
    connectors[options.protocol === 'https:' ? 'https:' : 'http:'](options, callback)
}
