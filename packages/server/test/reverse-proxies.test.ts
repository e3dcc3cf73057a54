import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createGroup, start } from './fixture.ts'
import { guideBalancers, guideProxies } from './guide-proxies.ts'
import { openStream } from './open-stream.ts'
import { hasProxy, type ProxyName, type ProxyOptions, programs, startReverseProxy } from './reverse-proxy.ts'

const controlToken = 'a-control-token-of-24-bytes'

type Configure = (options: ProxyOptions) => string

/** Starts a proxy in front of a server. Without `configure`, it has a usual configuration. */
const startBehind = async (
  name: ProxyName,
  {
    configure,
    ...settings
  }: { readonly configure?: Configure | undefined; readonly rateLimitPerAddress?: number },
) => {
  const server = await start({ trustProxy: 1, controlToken, ...settings })
  const proxy = await startReverseProxy(name, {
    servers: [server.url],
    ...(configure && { configure }),
  })
  onTestFinished(proxy.close)
  return { server, ...proxy }
}

/** Sends a request line as it is, which a URL library would change. Returns the response; empty if there is none. */
const send = async (port: number, target: string, method = 'GET'): Promise<string> => {
  const socket = connect(port, '127.0.0.1').setTimeout(5_000, () => socket.destroy())
  let received = ''
  socket
    .on('error', () => {})
    .on('data', (data) => {
      received += data
    })
  socket.write(
    `${method} ${target} HTTP/1.1\r\nhost: wabakit.example.com\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
  )
  await once(socket, 'close')
  return received
}

const hidden = ['_wabakit/info', '_wabakit/inspector', 'metrics', 'healthz', 'openapi.json']
const disguises = (path: string): string[] => [
  `/${path}`,
  `//${path}`,
  `/./${path}`,
  `/x/../${path}`,
  `/%2e/${path}`,
  `/x/%2e%2e/${path}`,
  `/%2F${path}`,
  `/${path}/`,
  `/${path.toUpperCase()}`,
  `/${path.replace('_', '%5F').replace('m', '%6d')}`,
  `/v1/call/ai-summary/../../../${path}`,
  `/v1/call/ai-summary/%2e%2e/%2e%2e/%2e%2e/${path}`,
  `/v1/call/ai-summary/..%2f..%2f..%2f${path}`,
  `/v1/call/ai-summary/../../..//${path}`,
  `/v1/call/ai-summary\\..\\..\\..\\${path}`,
  `/v1/call/ai-summary;/../../../${path}`,
  `/v1/call/ai-summary?/../../../${path}`,
  `/v1/call/ai-summary#/../../../${path}`,
  `/${path}?/v1/call/ai-summary`,
  `http://wabakit.example.com/${path}`,
  `http://wabakit.example.com/v1/call/ai-summary/../../../${path}`,
  `http://localhost/${path}`,
  `*`,
]

// The rules of the guide, in the programs themselves: only the public API is reachable from outside.
describe.each([
  ['caddy', 'one machine', guideProxies.caddy],
  ...Object.entries(guideBalancers).map(
    ([name, configure]) => [name as ProxyName, 'two machines', configure] as const,
  ),
] as const)('behind %s as in the guide, with %s', (name, _, configure) => {
  test.skipIf(!hasProxy(name))(
    'the public API is reachable and nothing else, however the path is written',
    async () => {
      const { url, getLog } = await startBehind(name, { configure })
      const port = Number(new URL(url).port)
      expect(await send(port, '/v1/call/ai-summary?callId=a')).toMatch(/missing_api_key/)
      expect(await send(port, '/whatsapp/wa-group/create', 'POST')).toMatch(/missing_api_key/)

      const targets = hidden.flatMap(disguises)
      const passed = await Promise.all(
        targets.map(async (target) => [target, await send(port, target)] as const),
      )
      for (const [target, response] of passed) {
        const [, status = ''] = response.split(' ')
        const body = response.split('\r\n\r\n').slice(1).join('')
        // Without a response, or refused by the proxy, or by the public API.
        const isRefused = response === '' || /^4/.test(status)
        expect([target, status, body, isRefused]).toEqual([target, status, body, true])
        expect(body, `${target}\n${getLog()}`).not.toMatch(
          /"organizations"|wabakit_|<!doctype html>|"openapi":|"version"|control token/i,
        )
      }
    },
  )
})

/** Sends wrong keys, each with another forged address. Resolves to the statuses. */
const forgeAddresses = (url: string): Promise<number[]> =>
  Promise.all(
    Array.from({ length: 4 }, async (_, number) => {
      const headers = { authorization: 'wk_wrong_key_0123456789', 'x-forwarded-for': `192.0.2.${number}` }
      return (await fetch(`${url}/v1/call/ai-summary?callId=a`, { headers })).status
    }),
  )

const hasProxies = (['nginx', 'haproxy', 'apache', 'caddy'] as const).every(hasProxy)

test.skipIf(!hasProxies).each([
  ['nginx', '/wabakit', guideProxies.nginx],
  ['nginx', '', guideBalancers.nginx],
  ['haproxy', '', guideBalancers.haproxy],
  ['apache', '', guideBalancers.apache],
  ['caddy', '', guideBalancers.caddy],
  ['apache', '', undefined],
  ['caddy', '', undefined],
] as const)('behind %s, a client cannot forge its address', async (name, prefix, configure) => {
  const { url } = await startBehind(name, { configure, rateLimitPerAddress: 2 })
  expect((await forgeAddresses(url + prefix)).toSorted()).toEqual([401, 401, 429, 429])
})

test.skipIf(!hasProxies).each(['nginx', 'haproxy'] as const)(
  'behind %s without the setting of the guide, a client can forge its address',
  async (name) => {
    const { url } = await startBehind(name, { rateLimitPerAddress: 2 })
    expect(await forgeAddresses(url)).toEqual([401, 401, 401, 401])
  },
)

const compressing = {
  nginx: (options: ProxyOptions) =>
    programs.nginx.configure(options).replace('listen', 'gzip on; gzip_proxied any; gzip_types *; listen'),
  haproxy: (options: ProxyOptions) =>
    programs.haproxy.configure(options).replace('bind', 'compression algo gzip\n\tbind'),
}

test.skipIf(!hasProxies).each([
  ['nginx', 'as in the guide', '/wabakit', guideProxies.nginx],
  ['nginx', 'with its defaults', '', undefined],
  ['nginx', 'with compression', '', compressing.nginx],
  ['haproxy', 'with its defaults', '', undefined],
  ['haproxy', 'with compression', '', compressing.haproxy],
  ['apache', 'with its defaults', '', undefined],
  ['caddy', 'with its defaults', '', undefined],
] as const)('%s %s does not hold up a live stream', async (name, _, prefix, configure) => {
  const { server, url } = await startBehind(name, { configure })
  const headers = { authorization: `Bearer ${controlToken}`, 'accept-encoding': 'gzip' }
  const stream = await openStream({ url: url + prefix }, '', headers)
  await createGroup(server.url)
  expect(await stream.next()).toMatchObject({ event: 'event' })
  // Otherwise, apache would wait for the stream before it ends.
  stream.close()
  await server.close()
})
