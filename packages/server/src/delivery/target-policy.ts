import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { isPublicAddress } from './public-address.ts'

/** Which addresses deliveries may go to. */
export type TargetPolicy = {
  /**
   * False: public addresses only. True: `https` to any address, and `http` to loopback ones (a server for local use).
   */
  readonly allowPrivateTargets: boolean
}

const isLoopback = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'

const refusal = (
  address: string,
  protocol: string,
  { allowPrivateTargets }: TargetPolicy,
): string | undefined => {
  if (protocol !== 'https:') {
    return allowPrivateTargets && isLoopback(address)
      ? undefined
      : 'http is for loopback addresses of a local server only'
  }
  return allowPrivateTargets || isPublicAddress(address) ? undefined : 'it is not a public address'
}

/** A delivery was not sent, because of where it would have gone. */
export class TargetRefusedError extends Error {
  override readonly name = 'TargetRefusedError'
  /** For programs; always this. */
  readonly code = 'target_refused'

  /**
   * @param address - the address that was refused.
   * @param reason - why.
   */
  constructor(address: string, reason: string) {
    super(`refused to connect to ${address}: ${reason}`)
  }
}

/**
 * Refuses an address that deliveries may not go to.
 *
 * @throws TargetRefusedError
 */
export const checkAddress = (address: string, protocol: string, policy: TargetPolicy): void => {
  const reason = isIP(address) === 0 ? 'it is not an IP address' : refusal(address, protocol, policy)
  if (reason !== undefined) throw new TargetRefusedError(address, reason)
}
