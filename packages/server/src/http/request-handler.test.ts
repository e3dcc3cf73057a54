import { pino } from 'pino'
import { Counter, Histogram } from 'prom-client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createRequestHandler, getClientAddress } from './request-handler.ts'

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
  ['an IPv4 address has a port', 1, '192.0.2.1:4711', '192.0.2.1'],
  ['an IPv6 address has brackets', 1, '[2001:db8::1]', '2001:db8::1'],
  ['an IPv6 address has a port', 1, '[2001:db8::1]:4711', '2001:db8::1'],
  ['an IPv4 address in IPv6 notation has a port', 1, '[::ffff:192.0.2.1]:4711', '::ffff:192.0.2.1'],
  ['entries with and without ports are mixed', 2, '[2001:db8::1]:1, 192.0.2.2:2 ,192.0.2.3', '192.0.2.2'],
  ['an entry begins and ends with spaces', 1, ' \t192.0.2.1:80 \t', '192.0.2.1'],
  ['the trusted entry is empty', 1, '192.0.2.1,', '127.0.0.1'],
  ['the trusted entry is blank', 1, '192.0.2.1, ', '127.0.0.1'],
  ['the client is unknown', 1, '192.0.2.1, unknown', '127.0.0.1'],
  ['the client is hidden', 1, '192.0.2.1, _hidden', '127.0.0.1'],
  ['the client is hidden and has a port', 1, '192.0.2.1, _hidden:4711', '127.0.0.1'],
  ['a port is missing', 1, '192.0.2.1:', '127.0.0.1'],
  ['a port is hidden', 1, '192.0.2.1:_port', '127.0.0.1'],
  ['a bracket is missing', 1, '[2001:db8::1:80', '127.0.0.1'],
  ['brackets are empty', 1, '[]:80', '127.0.0.1'],
  ['brackets contain a name', 1, '[client.example]:80', '127.0.0.1'],
  ['text follows the port', 1, '192.0.2.1:80x', '127.0.0.1'],
  ['spaces are within an entry', 1, '192.0.2.1 :80', '127.0.0.1'],
])('finds the address of the client when %s', (_when, trustProxy, forwarded, expected) => {
  expect(getAddress(forwarded, trustProxy)).toBe(expected)
})

test('logs at most ten refusals of a status in each second, and the number of the others', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const lines: { msg: string; count?: number }[] = []
  const labelNames = ['endpoint', 'status'] as const
  const requests = new Histogram({ name: 'requests', help: 'Requests.', labelNames, registers: [] })
  const { record } = createRequestHandler({
    api: undefined,
    pages: new Map(),
    metrics: { requests, cutConnections: new Counter({ name: 'cut', help: 'Cut.', registers: [] }) },
    log: pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) }),
    createRequestId: () => 'req_1',
    trustProxy: 0,
    onError: (error) => expect.fail(String(error)),
  })
  for (let second = 0; second < 3; second++) {
    for (let number = 0; number < 15; number++) record({ status: 404, requestId: 'req_1' })
    record({ status: 401, requestId: 'req_1' })
    await vi.advanceTimersByTimeAsync(1_000)
  }

  expect(lines.filter(({ msg }) => msg === 'request').length).toBe(3 * (10 + 1))
  expect(lines.flatMap(({ count }) => count ?? [])).toEqual([5, 5, 5])
})
