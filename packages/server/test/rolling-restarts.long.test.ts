import { expect, test } from 'vitest'
import { hasProxy, type ProxyName } from './reverse-proxy.ts'
import { restartBehindProxies } from './rolling-restarts.ts'

const names = (['nginx', 'haproxy', 'apache', 'caddy'] as const satisfies ProxyName[]).filter(hasProxy)

test.skipIf(names.length === 0)(
  'no request fails behind the proxies of the guide while servers are restarted one at a time',
  async () => {
    const outcomes = await restartBehindProxies(names, { restarts: 2 })
    expect(outcomes).toEqual(Object.fromEntries(names.map((name) => [name, { 200: expect.any(Number) }])))
  },
)
