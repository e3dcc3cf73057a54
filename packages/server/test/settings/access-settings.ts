import { channel } from 'node:diagnostics_channel'
import { get, type Server } from 'node:http'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { control, createGroup, start } from '../fixture.ts'
import { createPostgresDatabase } from '../shared-cluster.ts'
import { type SettingCase, type Settings, startExactly } from './setting-case.ts'

const controlToken = 'a-control-token-of-these-tests'
const metricsToken = 'a-metrics-token-of-these-tests'

/** The status of a request with these headers, also with headers that `fetch` does not send. */
const readStatus = (url: string, headers: Record<string, string> = {}): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get(url, { headers, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    }).on('error', reject)
  })

/** The statuses of a request without a token and with one. */
const compareTokens = async (url: string, token: string) => [
  await readStatus(url),
  await readStatus(url, { authorization: `Bearer ${token}` }),
]

/** The server of node:http that answers a request. */
const findHttpServer = async (settings: Partial<Settings>): Promise<Server> => {
  const { url } = await start(settings)
  const requests = channel('http.server.request.start')
  let found: Server | undefined
  const note = (message: unknown): void => {
    found = (message as { server: Server }).server
  }
  requests.subscribe(note)
  await readStatus(`${url}/healthz`)
  requests.unsubscribe(note)
  if (found === undefined) throw new Error('There was no request.')
  return found
}

const readPort = (text: string): number => Number(/:(\d+)/.exec(text)?.[1])

/** Settings whose effect clients of the server notice. */
export const accessSettings = {
  host: {
    see: async (settings) => new URL((await start(settings)).url).hostname,
    cases: [
      [{}, '127.0.0.1'],
      [{ host: 'localhost' }, 'localhost'],
    ],
  },
  port: {
    // If another program uses the port, the error names it.
    see: (settings) =>
      startExactly({ database: ':memory:', ...settings }).then(
        ({ url }) => readPort(new URL(url).host),
        (error) => readPort(String(error)),
      ),
    cases: [
      [{}, 4_100],
      [{ port: 47_123 }, 47_123],
    ],
  },
  role: {
    see: async (settings) => {
      const database = await createPostgresDatabase()
      const { url } = await start({ ...settings, database })
      const { status } = await createGroup(url)
      const client = new pg.Client({ connectionString: database })
      await client.connect()
      onTestFinished(() => client.end())
      return async () => [status, (await client.query('SELECT FROM wabakit.workers')).rowCount]
    },
    cases: [
      [{}, [200, 1]],
      [{ role: 'api' }, [200, 0]],
      [{ role: 'worker' }, [404, 1]],
    ],
  },
  controlToken: {
    see: async (settings) =>
      compareTokens(`${(await start(settings)).url}/_wabakit/organizations`, controlToken),
    cases: [
      [{}, [200, 200]],
      [{ controlToken }, [401, 200]],
    ],
  },
  metricsToken: {
    see: async (settings) => compareTokens(`${(await start(settings)).url}/metrics`, metricsToken),
    cases: [
      [{}, [200, 200]],
      [{ metricsToken }, [401, 200]],
    ],
  },
  publicUrl: {
    see: async (settings) => {
      const { url } = await start({ controlToken, ...settings })
      const headers = { authorization: `Bearer ${controlToken}`, origin: 'https://sandbox.example.com' }
      return readStatus(`${url}/_wabakit/organizations`, headers)
    },
    cases: [
      [{}, 403],
      [{ publicUrl: 'https://sandbox.example.com' }, 200],
    ],
  },
  trustProxy: {
    see: async (settings) => {
      const { url } = await start({ rateLimitPerAddress: 1, controlToken, ...settings })
      const ask = async (address: string) =>
        (await createGroup(url, {}, { authorization: 'wk_wrong_0123456789', 'x-forwarded-for': address }))
          .status
      return [await ask('192.0.2.1'), await ask('192.0.2.2'), await ask('192.0.2.1, 192.0.2.2')]
    },
    cases: [
      [{}, [401, 429, 429]],
      [{ trustProxy: 1 }, [401, 401, 429]],
      [{ trustProxy: 2 }, [401, 429, 401]],
    ],
  },
  authHeader: {
    see: async (settings) => {
      const { url } = await start(settings)
      const statuses: number[] = []
      for (const name of ['authorization', 'x-public-api-key', 'x-key']) {
        const headers = { [name]: 'wk_test_key_0123456789' }
        statuses.push((await fetch(`${url}/v1/call/ai-summary?callId=c1`, { headers })).status)
      }
      return statuses
    },
    cases: [
      [{}, [404, 404, 401]],
      [{ authHeader: 'x-key' }, [401, 401, 404]],
    ],
  },
  allowPrivateTargets: {
    see: async (settings) => {
      const { url } = await start({ controlToken, ...settings })
      const subscription = { channel: 'WHATSAPP', number: '+15550100001', url: 'http://127.0.0.1:9/' }
      const headers = { authorization: `Bearer ${controlToken}` }
      const server = { url: url.replace('0.0.0.0', '127.0.0.1') }
      return (await control(server, 'POST /organizations/acme/subscriptions', subscription, headers)).status
    },
    cases: [
      [{}, 201],
      [{ host: '0.0.0.0' }, 400],
      [{ allowPrivateTargets: false }, 400],
      [{ host: '0.0.0.0', allowPrivateTargets: true }, 201],
    ],
  },
  maxConnections: {
    see: async (settings) => (await findHttpServer(settings)).maxConnections,
    cases: [
      [{}, 10_000],
      [{ maxConnections: 4 }, 4],
    ],
  },
  requestTimeoutMs: {
    see: async (settings) => (await findHttpServer(settings)).requestTimeout,
    cases: [
      [{}, 30_000],
      [{ requestTimeoutMs: 1_000 }, 1_000],
    ],
  },
} satisfies Partial<Record<keyof Settings, SettingCase>>
