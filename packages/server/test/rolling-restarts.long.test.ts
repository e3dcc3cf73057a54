import { expect, test } from 'vitest'
import { hasProxy, type ProxyName } from './reverse-proxy.ts'
import { restartBehindProxies } from './rolling-restarts.ts'

const names = (['nginx', 'haproxy', 'apache', 'caddy'] as const satisfies ProxyName[]).filter(hasProxy)

test.skipIf(names.length === 0)(
  'no request fails behind a balancer with checks while servers are restarted one at a time, and hardly one behind nginx',
  async () => {
    const outcomes = await restartBehindProxies(names, { restarts: 2 })
    const { nginx = { 200: 1 }, ...checking } = outcomes
    for (const counts of Object.values(checking)) expect(counts).toEqual({ 200: expect.any(Number) })
    // Without checks, nginx sends requests until the port is closed. What reaches it in that instant is reset.
    expect(nginx[502] ?? 0).toBeLessThanOrEqual(2)
    expect(Object.keys(nginx).filter((status) => status !== '502')).toEqual(['200'])
  },
)
