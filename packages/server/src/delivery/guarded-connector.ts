import { isIP, type LookupFunction, type Socket } from 'node:net'
import { buildConnector } from 'undici'
import { checkAddress, type TargetPolicy } from './target-policy.ts'

/** What {@link createGuardedConnector} works with. */
export type GuardedConnectorOptions = {
  readonly policy: TargetPolicy
  /** The system's look-up; `dns.lookup` fits. */
  readonly lookup: LookupFunction
  /** Longest time to connect, in milliseconds. */
  readonly timeoutMs: number
}

type Check = (address: string) => void

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

/** A look-up that fails when any of its answers is refused: a name that has one such address is not to be trusted. */
const guard =
  (lookup: LookupFunction, check: Check): LookupFunction =>
  (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, answer, family) => {
      if (error !== null) return callback(error, [])
      const addresses =
        typeof answer === 'string' ? [{ address: answer, family: family ?? isIP(answer) }] : answer
      try {
        for (const { address } of addresses) check(address)
      } catch (refusal) {
        return callback(asError(refusal), [])
      }
      const [first] = addresses
      if (options.all === true || first === undefined) return callback(null, addresses)
      callback(null, first.address, first.family)
    })
  }

const accept = (socket: Socket, check: Check): Error | undefined => {
  try {
    check(socket.remoteAddress ?? '')
    return undefined
  } catch (error) {
    socket.destroy()
    return asError(error)
  }
}

/**
 * A connector that goes only where the policy allows. It checks three times: a literal address before connecting
 * (Node never looks those up), every answer of the look-up (the one that is then connected to: there is no second
 * one), and the address that the socket is really connected to.
 */
export const createGuardedConnector = ({
  policy,
  lookup,
  timeoutMs,
}: GuardedConnectorOptions): buildConnector.connector => {
  const connectorFor = (protocol: string): buildConnector.connector => {
    const check: Check = (address) => checkAddress(address, protocol, policy)
    const connect = buildConnector({ lookup: guard(lookup, check), timeout: timeoutMs, allowH2: false })
    return (options, callback) => {
      try {
        if (isIP(options.hostname) !== 0) check(options.hostname)
      } catch (error) {
        return callback(asError(error), null)
      }
      connect(options, (error, socket) => {
        if (error !== null) return callback(error, null)
        const refusal = accept(socket, check)
        if (refusal === undefined) callback(null, socket)
        else callback(refusal, null)
      })
    }
  }
  const connectors = { 'http:': connectorFor('http:'), 'https:': connectorFor('https:') }
  return (options, callback) =>
    connectors[options.protocol === 'https:' ? 'https:' : 'http:'](options, callback)
}
