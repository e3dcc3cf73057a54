import { expect, test } from 'vitest'
import { isPublicAddress } from './target-policy.ts'

test.each(['93.184.216.34', '1.1.1.1', '::ffff:93.184.216.34', '2606:4700:4700::1111'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true)
  },
)

test.each([
  ['this network', '0.0.0.0'],
  ['this network', '0.1.2.3'],
  ['private', '10.0.0.1'],
  ['private', '172.16.0.1'],
  ['private', '192.168.1.1'],
  ['carrier-grade NAT', '100.64.0.1'],
  ['loopback', '127.0.0.1'],
  ['loopback', '127.255.255.254'],
  ['link-local and cloud metadata', '169.254.169.254'],
  ['protocol assignments', '192.0.0.1'],
  ['documentation', '192.0.2.1'],
  ['documentation', '198.51.100.1'],
  ['documentation', '203.0.113.1'],
  ['6to4 relay', '192.88.99.1'],
  ['benchmarking', '198.18.0.1'],
  ['multicast', '224.0.0.1'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['unspecified IPv6', '::'],
  ['loopback IPv6', '::1'],
  ['IPv4-mapped loopback', '::ffff:127.0.0.1'],
  ['IPv4-mapped private, in hexadecimal', '::ffff:a00:1'],
  ['IPv4-compatible loopback', '::7f00:1'],
  ['NAT64 of a private address', '64:ff9b::a00:1'],
  ['local NAT64', '64:ff9b:1::a00:1'],
  ['discard only', '100::1'],
  ['Teredo', '2001:0:53aa:64c::1'],
  ['benchmarking IPv6', '2001:2::1'],
  ['documentation IPv6', '2001:db8::1'],
  ['documentation IPv6', '3fff::1'],
  ['6to4 of a private address', '2002:a00:1::1'],
  ['unique local', 'fd00:ec2::254'],
  ['link-local IPv6', 'fe80::1'],
  ['link-local IPv6 with a zone', 'fe80::1%eth0'],
  ['site-local', 'fec0::1'],
  ['multicast IPv6', 'ff02::1'],
  ['a name', 'localhost'],
  ['nothing', ''],
])('%s (%s) is not public', (_kind, address) => {
  expect(isPublicAddress(address)).toBe(false)
})
