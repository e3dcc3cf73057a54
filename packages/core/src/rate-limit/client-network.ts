const ipv4Mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i

/** The first four groups of an IPv6 address. */
const first64Bits = (address: string): string => {
  const [head = '', tail] = address.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/**
 * Whom an address stands for when requests are counted: an IPv4 address for itself, an IPv6 address for its /64, all
 * of which one customer usually has (RFC 6177). An IPv4 address in IPv6 notation is the IPv4 address.
 */
export const clientNetwork = (address: string): string => {
  const [withoutZone = ''] = address.trim().split('%')
  const mapped = ipv4Mapped.exec(withoutZone)?.[1]
  if (mapped !== undefined) return mapped
  return withoutZone.includes(':') ? `${first64Bits(withoutZone)}::/64` : withoutZone
}
