import { expect, test } from 'vitest'
import { getClientAddress } from './request-handler.ts'

const socket = { remoteAddress: '127.0.0.1', destroy: () => {} }

const getAddress = (forwarded: string | undefined, trustProxy: number): string | undefined =>
  getClientAddress({ headers: { 'x-forwarded-for': forwarded }, socket }, trustProxy)

test.each([
  ['nothing is trusted', 0, '192.0.2.1', '127.0.0.1'],
  ['there is one proxy', 1, '192.0.2.1, 192.0.2.2', '192.0.2.2'],
  ['there are two proxies', 2, '192.0.2.1, 192.0.2.2,192.0.2.3 ', '192.0.2.2'],
  ['an entry is IPv6', 1, '2001:db8::1', '2001:db8::1'],
  ['there are fewer entries than proxies', 2, '192.0.2.1', '127.0.0.1'],
  ['the header is missing', 1, undefined, '127.0.0.1'],
  ['the header is empty', 1, '', '127.0.0.1'],
  ['the entry is a name', 1, 'client.example', '127.0.0.1'],
  ['the entry has a port', 1, '192.0.2.1:80', '127.0.0.1'],
])('finds the address of the client when %s', (_when, trustProxy, forwarded, expected) => {
  expect(getAddress(forwarded, trustProxy)).toBe(expected)
})
