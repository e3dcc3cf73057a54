import ipaddr from 'ipaddr.js'

const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3]

/**
 * Checks whether `address` is an IP address of the public internet. It is not public if it is private, loopback,
 * link-local, carrier-grade NAT, multicast, reserved or otherwise special (IANA special-purpose registries), also when
 * it is mapped or tunneled in IPv6. Text that is not an IP address is not public.
 */
export const isPublicAddress = (address: string): boolean => {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast') return false
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast)
}
