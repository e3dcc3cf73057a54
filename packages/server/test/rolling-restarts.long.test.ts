import { expect, test } from 'vitest'
import { hasProxy, type ProxyName } from './reverse-proxy.ts'
import { restartBehindProxies } from './rolling-restarts.ts'

const names = (['nginx', 'haproxy', 'apache', 'caddy'] as const satisfies ProxyName[]).filter(hasProxy)

test.skipIf(names.length === 0)(
  'no request fails behind a proxy while servers are restarted one at a time',
  async () => {
    const outcomes = await restartBehindProxies(names, { restarts: 2 })
    for (const counts of Object.values(outcomes)) expect(counts).toEqual({ 200: expect.any(Number) })
  },
)
