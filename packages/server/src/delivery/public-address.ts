import ipaddr from 'ipaddr.js'

const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]

/**
 * Tells whether `address` is an IP address of the public internet: not private, loopback, link-local, metadata,
 * carrier-grade, multicast, reserved or otherwise special (the IANA special-purpose registries), neither as such
 * nor mapped or tunnelled in IPv6. What is not an IP address is not public.
 */
export const isPublicAddress = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast') return false
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast)
}
