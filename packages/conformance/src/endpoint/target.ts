import { BlockList, isIP } from 'node:net'
import { resolver } from '@wabakit/webhooks/names'
import { ExaminationUsageError, TargetUnreachableError } from '../errors.ts'

/** Addresses of this machine and of private networks (RFC 1122, 1918, 3927, 4193, 4291, 6598). */
const near = new BlockList()
near.addSubnet('127.0.0.0', 8)
near.addSubnet('10.0.0.0', 8)
near.addSubnet('172.16.0.0', 12)
near.addSubnet('192.168.0.0', 16)
near.addSubnet('169.254.0.0', 16)
near.addSubnet('100.64.0.0', 10)
near.addAddress('0.0.0.0')
near.addAddress('::1', 'ipv6')
near.addAddress('::', 'ipv6')
near.addSubnet('fc00::', 7, 'ipv6')
near.addSubnet('fe80::', 10, 'ipv6')

const isNear = (address: string): boolean => near.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

/**
 * Reads the URL of an endpoint.
 *
 * @throws ExaminationUsageError when it is not an http or https URL, or contains credentials.
 */
export const readTarget = (text: string): URL => {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new ExaminationUsageError('The URL of the endpoint must start with http:// or https://.')
  }
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') {
    throw new ExaminationUsageError(
      'Remove the credentials from the URL and pass them as --basic user:password.',
    )
  }
  url.hash = ''
  return url
}

/** Formats the URL for reports, without the query, which often contains a token. */
export const formatTarget = (url: URL): string =>
  `${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}`

/**
 * Returns whether a host is this machine or on a private network. For a host name other than `localhost` and those that end
 * with `.localhost`, this must be true of all its addresses.
 *
 * @throws TargetUnreachableError if the name cannot be resolved. A later request might find an address that is not near.
 */
export const isNearby = async (url: URL): Promise<boolean> => {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) return isNear(host)
  if (host === 'localhost' || host.endsWith('.localhost')) return true
  const addresses = await resolver.resolve(host).catch((error: Error) => {
    throw new TargetUnreachableError(`No connection to ${formatTarget(url)}: ${error.message}.`, {
      cause: error,
    })
  })
  return addresses.every(({ address }) => isNear(address))
}
