import { createServer, type ServerResponse } from 'node:http'
import { createReceiver, generateSecret, standardWebhooks } from '@wabakit/webhooks'
import { vi } from 'vitest'
import { createGroup, listenForWebhooks, start } from '../fixture.ts'
import { listenOnFreePort } from '../listen-on-free-port.ts'
import type { SettingCase, Settings } from './setting-case.ts'

const number = '+15550100001'
const operationsSecret = generateSecret()

/**
 * Returns a function that lets an endpoint with this number of subscriptions get events, and returns the largest number of
 * requests that it gets before it responds, which it does when no request has arrived for 100 ms. It is called until the number is
 * right: on a busy machine, attempts may take so long that they count as slow, which frees their places.
 */
const countConcurrent = async (
  settings: Partial<Settings>,
  subscriptions: number,
): Promise<() => Promise<number>> => {
  const held: ServerResponse[] = []
  let isHolding = false
  let most = 0
  let timer: NodeJS.Timeout | undefined
  const respond = (): void => {
    most = Math.max(most, held.length)
    for (const each of held.splice(0)) each.end()
  }
  const endpoint = createServer((request, response) => {
    request.resume()
    if (!isHolding) return void response.end()
    held.push(response)
    clearTimeout(timer)
    timer = setTimeout(respond, 100)
  })
  const origin = await listenOnFreePort(endpoint)
  const { service, url } = await start({ rateLimitPerKey: 0, ...settings })
  for (let index = 0; index < subscriptions; index++) {
    const target = `${origin}/${index}`
    await service.subscriptions.create('acme', { channel: 'WHATSAPP', number, url: target })
  }
  const statuses = ['waiting', 'pending', 'attempting'] as const
  const arrive = () =>
    vi.waitFor(async () => {
      const { items } = await service.deliveries.list('acme', { statuses })
      if (items.length > 0) throw new Error('Some events have not arrived.')
    }, 120_000)
  // One operation makes all deliveries due again. Requests would keep the process busy, and attempts would look slow.
  const resend = async (holds: boolean): Promise<void> => {
    isHolding = holds
    await service.deliveries.resend('acme', { statuses: ['delivered'] })
    await arrive()
  }
  for (let group = 0; group < 20; group++) await createGroup(url)
  await arrive()
  return async () => {
    // Quick responses, after which no endpoint counts as slow.
    await resend(false)
    most = 0
    await resend(true)
    return most
  }
}

/** Disables an endpoint, and returns the webhooks that the operator gets before the organization gets its own. */
const disable = async (settings: Partial<Settings>) => {
  const [operator, own] = [await listenForWebhooks(), await listenForWebhooks()]
  const gone = await listenForWebhooks(() => 410)
  const { url, service } = await start({
    ...settings,
    ...(settings.operationsUrl !== undefined && { operationsUrl: operator.url }),
  })
  await service.subscriptions.create('acme', { channel: 'OPERATIONS', url: own.url })
  await service.subscriptions.create('acme', { channel: 'WHATSAPP', number, url: gone.url })
  await createGroup(url)
  await own.arrived(1)
  return operator.arrivals
}

const operationsUrl = 'http://operator.example/'

export const deliverySettings = {
  deliveryConcurrency: {
    see: (settings) => countConcurrent(settings, 3),
    cases: [
      [{}, 3 * 8],
      [{ deliveryConcurrency: 2 }, 2],
    ],
  },
  deliveryConcurrencyPerSubscription: {
    see: (settings) => countConcurrent(settings, 1),
    cases: [
      [{}, 8],
      [{ deliveryConcurrencyPerSubscription: 3 }, 3],
    ],
  },
  drainMs: {
    see: async (settings) => {
      const { drain, close, url } = await start(settings)
      using timers = vi.spyOn(globalThis, 'setTimeout')
      const drained = drain()
      // Read before the request, which starts other timers.
      const waits = timers.mock.calls.map(([, ms = 0]) => ms)
      const { status } = await fetch(`${url}/readyz`)
      await close()
      await drained
      return [status, ...waits]
    },
    cases: [
      [{}, [200]],
      [{ trustProxy: 1, controlToken: 'a-control-token-of-24-bytes' }, [503, 10_000]],
      [{ drainMs: 1_234 }, [503, 1_234]],
    ],
  },
  shutdownGraceMs: {
    see: async (settings) => {
      const { close } = await start(settings)
      using timers = vi.spyOn(globalThis, 'setTimeout')
      await close()
      // Shorter timers have other purposes.
      return new Set(timers.mock.calls.map(([, ms = 0]) => ms).filter((ms) => ms > 1_000))
    },
    cases: [
      [{}, new Set([10_000])],
      [{ shutdownGraceMs: 1_234 }, new Set([1_234])],
    ],
  },
  operationsUrl: {
    see: async (settings) => {
      const arrivals = await disable(settings)
      return () => arrivals.length
    },
    cases: [
      [{}, 0],
      [{ operationsUrl, operationsSecret }, 1],
    ],
  },
  operationsSecret: {
    see: async (settings) => {
      const arrivals = await disable({ operationsUrl, ...settings }).catch(String)
      if (typeof arrivals === 'string') return arrivals.split(' ').slice(0, 2).join(' ')
      const receiver = createReceiver({ verify: standardWebhooks({ secrets: [operationsSecret] }) })
      return async () => {
        const [first] = arrivals
        if (first === undefined) return undefined
        const headers = Object.entries(first.headers).map(
          ([name, value]) => [name, String(value)] as [string, string],
        )
        const request = new Request('https://operations.example', {
          method: 'POST',
          headers,
          body: first.body,
        })
        return (await receiver.onUnknown(() => {}).handle(request)).status
      }
    },
    cases: [
      [{}, 'ConfigError: operationsSecret'],
      [{ operationsSecret }, 200],
    ],
  },
  webhookUrl: {
    see: async (settings) => {
      const { service } = await start({ ...settings, organizations: [] })
      return (await service.subscriptions.list('demo')).items.map(({ url }) => url)
    },
    cases: [
      [{}, []],
      [{ webhookUrl: 'http://127.0.0.1:9/' }, Array(2).fill('http://127.0.0.1:9/')],
    ],
  },
  webhookHeader: {
    see: async (settings) => {
      const endpoint = await listenForWebhooks()
      const { url, demo } = await start({ ...settings, webhookUrl: endpoint.url, organizations: [] })
      const { apiKey = '', wabaNumber } = demo ?? {}
      await createGroup(url, { wabaNumber }, { authorization: apiKey })
      await endpoint.arrived(1)
      const { headers } = endpoint.arrivals[0] ?? {}
      return [headers?.authorization, headers?.['x-webhook-token']]
    },
    cases: [
      [{}, [undefined, undefined]],
      [{ webhookHeader: 'Authorization: Bearer t0ken' }, ['Bearer t0ken', undefined]],
      [{ webhookHeader: 'X-Webhook-Token: t0ken' }, [undefined, 't0ken']],
    ],
  },
} satisfies Partial<Record<keyof Settings, SettingCase>>
