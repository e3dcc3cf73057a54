import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]

/**
 * Returns whether `address` is a public internet IP address. It is not public if it is private, loopback, link-local,
 * carrier-grade NAT, multicast, reserved or otherwise special (IANA special-purpose registries), even when it is mapped
 * or tunneled in IPv6. Text that is not an IP address is not public.
 */
export const isPublicAddress = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast') return false
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast)
}

/**
 * The addresses that webhooks may be sent to. Each attempt checks those of its host, and that of the connected socket against DNS
 * rebinding (`guarded-connector.ts`). What a URL may be is checked before that, when it is subscribed (`findUrlProblem` in
 * `core`: `subscriptions/subscription-input.ts`).
 */
export type TargetPolicy = {
  /**
   * If false, allows only `https` to public addresses. If true, allows `https` to any address, and `http` to loopback
   * addresses.
   */
  readonly allowPrivateTargets: boolean
}

const isLoopback = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'

/** Returns whether a host from a setting or URL is a loopback name or address, such as `localhost`, `127.0.0.1` or `[::1]`. */
export const isLoopbackHost = (host: string): boolean => {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  return isIP(bare) === 0 ? bare === 'localhost' || bare.endsWith('.localhost') : isLoopback(bare)
}

const findReason = (
  address: string,
  protocol: string,
  { allowPrivateTargets }: TargetPolicy,
): string | undefined => {
  if (isIP(address) === 0) return 'it is not an IP address'
  if (protocol !== 'https:') {
    return allowPrivateTargets && isLoopback(address)
      ? undefined
      : 'http is only allowed for loopback addresses, and only with the setting allowPrivateTargets'
  }
  return allowPrivateTargets || isPublicAddress(address)
    ? undefined
    : 'it is not a public address. The setting allowPrivateTargets allows it'
}

/** Returns the error for an address that the policy does not allow, or `undefined` if it allows the address. */
export const findRefusal = (address: string, protocol: string, policy: TargetPolicy): Error | undefined => {
  const reason = findReason(address, protocol, policy)
  return reason === undefined ? undefined : new Error(`refused to connect to ${address}: ${reason}`)
}
