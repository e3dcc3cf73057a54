import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { startNameServer, type Zone } from '../../test/names/name-server.ts'
import { createResolver, type ResolverOptions } from './resolver.ts'

const opened: Array<() => void> = []

afterEach(() => {
  for (const close of opened.splice(0).reverse()) close()
})

const serve = async (zone: Zone) => {
  const server = await startNameServer(zone)
  opened.push(server.close)
  return server
}

type Files = { readonly hosts?: string; readonly resolvConf?: string }

const writeFiles = ({ hosts = '', resolvConf = '' }: Files) => {
  const folder = mkdtempSync(join(tmpdir(), 'names-'))
  opened.push(() => rmSync(folder, { recursive: true }))
  const files = { hosts: join(folder, 'hosts'), resolvConf: join(folder, 'resolv.conf') }
  writeFileSync(files.hosts, hosts)
  writeFileSync(files.resolvConf, resolvConf)
  return files
}

/** Opens a resolver that asks these servers. */
const open = (servers: readonly { readonly address: string }[], options: Files & ResolverOptions = {}) =>
  createResolver({
    ...options,
    ...writeFiles(options),
    listServers: () => servers.map(({ address }) => address),
  })

const listAddresses = async (found: ReturnType<ReturnType<typeof open>['resolve']>) =>
  (await found).map(({ address }) => address)

const silent = { delayMs: Infinity }
const missing = { code: 3 }

test('returns the addresses of both families, IPv4 first', async () => {
  const server = await serve(() => ({ a: ['192.0.2.1', '192.0.2.2'], aaaa: ['2001:db8::1'] }))
  // On a busy machine, one family may be later than a resolver waits for it.
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  opened.push(() => vi.useRealTimers())
  expect(await open([server]).resolve('Hooks.Example')).toEqual([
    { address: '192.0.2.1', family: 4 },
    { address: '192.0.2.2', family: 4 },
    { address: '2001:db8::1', family: 6 },
  ])
})

test('finds a name that has only IPv6 addresses', async () => {
  const server = await serve(() => ({ aaaa: ['2001:db8::1'] }))
  expect(await listAddresses(open([server]).resolve('six.example'))).toEqual(['2001:db8::1'])
})

test('resolves a name while 100 other names get no answer', async () => {
  const server = await serve((name) => (name.startsWith('silent') ? silent : { a: ['192.0.2.1'] }))
  const { resolve } = open([server])
  const stop = new AbortController()
  const others = Array.from({ length: 100 }, (_, number) => resolve(`silent-${number}.example`, stop.signal))
  const ended = Promise.race(others).catch(() => 'one has ended')

  expect(await listAddresses(resolve('good.example'))).toEqual(['192.0.2.1'])
  expect(await Promise.race([ended, 'all are running'])).toBe('all are running')
  stop.abort()
  await Promise.allSettled(others)
})

test('names the silent name server as the cause', async () => {
  const server = await serve(() => silent)
  await expect(open([server], { limitMs: 200 }).resolve('hooks.example')).rejects.toThrow(
    'the name hooks.example could not be resolved (ETIMEOUT): no answer from the name server within 200 ms. Check the DNS servers of its domain, and of this machine',
  )
})

test.each([
  [3, 'ENOTFOUND', 'it does not exist or has no address. Check its spelling and its DNS records'],
  [2, 'ESERVFAIL', 'the name server could not find out. Check the DNS servers of its domain'],
  [5, 'EREFUSED', 'the name server sent an error. Check the DNS servers of its domain'],
])('names the cause of the response code %i', async (code, name, reason) => {
  const server = await serve(() => ({ code }))
  const error = await open([server])
    .resolve('hooks.example')
    .catch((each: unknown) => each)
  expect(error).toMatchObject({
    code: name,
    message: `the name hooks.example could not be resolved (${name}): ${reason}`,
  })
})

test('names a name server that does not run', async () => {
  const server = await startNameServer(() => silent)
  server.close()
  await expect(open([server]).resolve('hooks.example')).rejects.toThrow(/ECONNREFUSED.*resolv\.conf/)
})

test('takes an answer that is slower than the repeated query, even after more than 5 seconds', async () => {
  const slow = await serve(() => ({ a: ['192.0.2.1'], delayMs: 1_500 }))
  const slower = await serve(() => ({ a: ['192.0.2.2'], delayMs: 5_200 }))
  const resolvers = [open([slow]), open([slower], { limitMs: 60_000 })]
  const found = await Promise.all(resolvers.map(({ resolve }) => listAddresses(resolve('slow.example'))))
  expect(found).toEqual([['192.0.2.1'], ['192.0.2.2']])
  expect(slow.asked).toEqual(['slow.example', 'slow.example'])
})

test('asks the next server if one is silent, fails or is not there', async () => {
  const closed = await startNameServer(() => silent)
  closed.close()
  const mute = await serve(() => silent)
  const broken = await serve(() => ({ code: 2 }))
  const good = await serve(() => ({ a: ['192.0.2.1'] }))
  const lists = [
    [closed, good],
    [broken, good],
    [mute, good],
    [closed, broken, mute, good],
  ]
  const found = lists.map((servers) => listAddresses(open(servers).resolve('hooks.example')))
  for (const addresses of found) expect(await addresses).toEqual(['192.0.2.1'])
})

test('does not wait long for a family that gets no answer', async () => {
  const server = await serve((_name, family) => (family === 6 ? silent : { a: ['192.0.2.1'] }))
  const { resolve } = open([server], { limitMs: 60_000 })
  expect(await listAddresses(resolve('half.example'))).toEqual(['192.0.2.1'])
  expect(server.asked).toEqual(['half.example'])
})

test('shares the queries of concurrent lookups, and keeps an answer for its TTL', async () => {
  const server = await serve((name) => ({ a: ['192.0.2.1'], ttl: name === 'changing.example' ? 0 : 60 }))
  const { resolve } = open([server])
  await Promise.all(['a.example', 'a.example', 'A.example', 'b.example'].map((name) => resolve(name)))
  await resolve('a.example')
  expect(server.asked.sort()).toEqual(['a.example', 'b.example'])

  for (let time = 0; time < 2; time++) await resolve('changing.example')
  expect(server.asked.filter((name) => name === 'changing.example')).toHaveLength(2)
})

test('does not keep failures', async () => {
  let answer: ReturnType<Zone> = missing
  const server = await serve(() => answer)
  const { resolve } = open([server])
  await expect(resolve('new.example')).rejects.toThrow('ENOTFOUND')
  answer = { a: ['192.0.2.1'] }
  expect(await listAddresses(resolve('new.example'))).toEqual(['192.0.2.1'])
})

test('ends a lookup with its signal, and the queries with the last lookup', async () => {
  let answer: ReturnType<Zone> = silent
  const server = await serve(() => answer)
  const { resolve } = open([server], { limitMs: 60_000 })
  const [first, second] = [new AbortController(), new AbortController()]
  const lookups = [resolve('hooks.example', first.signal), resolve('hooks.example', second.signal)]
  const results = Promise.allSettled(lookups)
  await expect.poll(() => server.asked.length).toBe(1)
  first.abort(new Error('first'))
  await expect(lookups[0]).rejects.toThrow('first')
  second.abort(new Error('second'))
  await expect(lookups[1]).rejects.toThrow('second')
  await results

  answer = { a: ['192.0.2.1'] }
  expect(await listAddresses(resolve('hooks.example'))).toEqual(['192.0.2.1'])
  expect(server.asked).toHaveLength(2)
})

test('honors the hosts file, also when it changes', async () => {
  const server = await serve(() => missing)
  const files = writeFiles({ hosts: '127.0.0.9 Db.Internal db # database\n::1 db\nnot-an-address x\n' })
  const { resolve } = createResolver({ ...files, listServers: () => [server.address] })
  expect(await listAddresses(resolve('db'))).toEqual(['127.0.0.9', '::1'])
  expect(await listAddresses(resolve('db.internal'))).toEqual(['127.0.0.9'])
  await expect(resolve('x')).rejects.toThrow('ENOTFOUND')

  writeFileSync(files.hosts, '127.0.0.10 db')
  utimesSync(files.hosts, 1, 1)
  expect(await listAddresses(resolve('db'))).toEqual(['127.0.0.10'])
})

test('resolves localhost without a name server', async () => {
  const { resolve } = open([])
  expect(await listAddresses(resolve('localhost'))).toEqual(['127.0.0.1', '::1'])
  expect(await listAddresses(resolve('app.localhost'))).toEqual(['127.0.0.1', '::1'])
})

test.each([
  ['db', 'search a.example b.example', ['db.a.example', 'db.b.example']],
  ['db', 'domain b.example', ['db.b.example']],
  ['db', 'options ndots:0\nsearch b.example', ['db', 'db.b.example']],
  ['db.prod', 'search b.example', ['db.prod', 'db.prod.b.example']],
  ['db.prod', 'options timeout:1 ndots:5 # Kubernetes\nsearch b.example', ['db.prod.b.example']],
  ['db.prod', 'search a.example.\nsearch b.example', ['db.prod', 'db.prod.b.example']],
])('searches %s with %j', async (name, resolvConf, asked) => {
  const server = await serve((each) => (each.endsWith('.b.example') ? { a: ['192.0.2.1'] } : missing))
  const { resolve } = open([server], { resolvConf })
  expect(await listAddresses(resolve(name))).toEqual(['192.0.2.1'])
  expect(server.asked).toEqual(asked)
})

test('does not search for a name with a final dot', async () => {
  const server = await serve(() => missing)
  const { resolve } = open([server], { resolvConf: 'options ndots:5\nsearch b.example' })
  await expect(resolve('db.prod.')).rejects.toThrow('ENOTFOUND')
  expect(server.asked).toEqual(['db.prod'])
})

test.each([
  [{}, '127.0.0.1', 4],
  [{ family: 4 }, '127.0.0.1', 4],
  [{ family: 6 }, '::1', 6],
  [
    { all: true },
    [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ],
    undefined,
  ],
  [{ family: 'IPv6' as const, all: true }, [{ address: '::1', family: 6 }], undefined],
])('replaces dns.lookup with the options %j', async (options, ...results) => {
  const { createLookup } = open([])
  const { promise, resolve } = Promise.withResolvers<unknown[]>()
  createLookup()('localhost', options, (error, address, family) => resolve([error, address, family]))
  expect(await promise).toEqual([null, ...results])
})

test('fails a lookup of a family in which the name has no address', async () => {
  const { createLookup } = open([], { hosts: '192.0.2.1 four' })
  const { promise, resolve } = Promise.withResolvers<unknown>()
  createLookup()('four', { family: 6 }, resolve)
  expect(await promise).toMatchObject({ code: 'ENOTFOUND' })
})
