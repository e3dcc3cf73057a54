import {
  type ClientOptions,
  createClient,
  type Fetch,
  type FetchInit,
  type RequestOptions,
  type RetryOptions,
  type WaitOptions,
} from '@wabakit/client'
import { onTestFinished, vi } from 'vitest'
import { testOptions } from '../../../tools/option-cases.ts'
import { createTestClock } from './clock.ts'
import { apiKey, group, summary } from './fixtures.ts'
import { sendJson, startService } from './loopback.ts'

const callId = 'call-1'
const record = { callId, summary }

/** Returns the first request that a service gets from a client with these options, which creates a group. */
const sendOne = async (options: ClientOptions) => {
  const service = await startService((response) => sendJson(response, 200, { success: true, groupId: 'g-1' }))
  await createClient({ baseUrl: service.url, apiKey, ...options }).groups.create(group)
  return service.requests[0]
}

/** A `fetch` that never responds, and a function that returns when the client gave up, in milliseconds. */
const createSilence = () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const startedAt = Date.now()
  const fetch: Fetch = (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  const measure = async (call: PromiseLike<unknown>): Promise<number> => {
    const ended = Promise.resolve(call).then(
      () => Date.now(),
      () => Date.now(),
    )
    await vi.advanceTimersByTimeAsync(200_000)
    vi.useRealTimers()
    return (await ended) - startedAt
  }
  return { fetch, measure }
}

/** Counts the requests of a wait for a summary while the service never responds. */
const countRequests = async (options: ClientOptions, wait: WaitOptions = {}): Promise<number> => {
  const { fetch, measure } = createSilence()
  let requests = 0
  const count: Fetch = (...request) => {
    requests += 1
    return fetch(...request)
  }
  const client = createClient({
    baseUrl: 'https://example.com',
    apiKey,
    fetch: count,
    random: () => 0,
    ...options,
  })
  await measure(client.calls.waitForSummary(callId, wait))
  return requests
}

/** Returns the waits between the attempts of a client to which the service responds with this status and these headers. */
const listWaits = async (
  options: ClientOptions,
  { status = 503, headers = {}, code = 'storage_unavailable' } = {},
) => {
  const service = await startService((response) => sendJson(response, status, { code }, headers))
  const clock = createTestClock()
  const client = createClient({ baseUrl: service.url, apiKey, clock, random: () => 0.5, ...options })
  await client.groups.create(group).catch(() => {})
  return clock.sleeps
}

testOptions<ClientOptions>('createClient()', {
  baseUrl: {
    see: async (options) => {
      vi.stubEnv('WABAKIT_BASE_URL', 'https://from.environment.example')
      onTestFinished(() => void vi.unstubAllEnvs())
      const urls: string[] = []
      const fetch: Fetch = async (url) => {
        urls.push(url)
        return Response.json(record)
      }
      await createClient({ apiKey, fetch, ...options }).calls.getSummary(callId)
      return urls
    },
    cases: [
      [{}, ['https://from.environment.example/v1/call/ai-summary?callId=call-1']],
      [
        { baseUrl: 'https://example.com/prefix/' },
        ['https://example.com/prefix/v1/call/ai-summary?callId=call-1'],
      ],
    ],
  },
  apiKey: {
    see: async (options) => {
      vi.stubEnv('WABAKIT_API_KEY', 'key-of-the-environment')
      onTestFinished(() => void vi.unstubAllEnvs())
      return (await sendOne({ apiKey: undefined, ...options }))?.headers.authorization
    },
    cases: [
      [{}, 'key-of-the-environment'],
      [{ apiKey: 'another-key' }, 'another-key'],
    ],
  },
  auth: {
    see: async (options) => {
      const { headers } = (await sendOne(options)) ?? {}
      return [headers?.authorization, headers?.['x-public-api-key'], headers?.['x-own']]
    },
    cases: [
      [{}, [apiKey, apiKey, undefined]],
      [{ auth: { header: 'x-public-api-key' } }, [undefined, apiKey, undefined]],
      [{ auth: { header: 'Authorization', scheme: 'Bearer' } }, [`Bearer ${apiKey}`, undefined, undefined]],
      [
        { auth: (headers, key) => headers.set('x-own', `own ${key}`) },
        [undefined, undefined, `own ${apiKey}`],
      ],
    ],
  },
  timeoutMs: {
    see: (options) => {
      const { fetch, measure } = createSilence()
      const client = createClient({ baseUrl: 'https://example.com', apiKey, fetch, ...options })
      return measure(client.groups.create(group))
    },
    cases: [
      [{}, 15_000],
      [{ timeoutMs: 700 }, 700],
    ],
  },
  totalTimeoutMs: {
    /** The number of requests of a wait of two minutes, of which each is a call. */
    see: (options) => countRequests({ timeoutMs: Number.POSITIVE_INFINITY, ...options }),
    cases: [
      // Calls of 60 s or 900 ms, with pauses of 2 s.
      [{}, 2],
      [{ totalTimeoutMs: 900 }, 42],
    ],
  },
  retry: {
    see: (options) => listWaits(options),
    cases: [
      [{}, [250, 500]],
      [{ retry: { limit: 1 } }, [250]],
    ],
  },
  generateGroupIds: {
    see: async (options) => typeof JSON.parse((await sendOne(options))?.body ?? '').groupId,
    cases: [
      [{}, 'string'],
      [{ generateGroupIds: false }, 'undefined'],
    ],
  },
  fetch: {
    see: async (options) => (await sendOne(options))?.headers['x-fetch'],
    cases: [
      [{}, undefined],
      [
        {
          fetch: (url: string, init: FetchInit) =>
            fetch(url, { ...init, headers: { ...init.headers, 'x-fetch': 'own' } }),
        },
        'own',
      ],
    ],
  },
  headers: {
    see: async (options) => {
      const { headers } = (await sendOne(options)) ?? {}
      return [headers?.['x-team'], headers?.['user-agent']?.split('/')[0]]
    },
    cases: [
      [{}, [undefined, 'wabakit']],
      [{ headers: { 'x-team': 'sales', 'User-Agent': 'shop/1' } }, ['sales', 'shop']],
    ],
  },
  logger: {
    /** The lines of a given logger, or of the console. */
    see: async ({ logger }) => {
      const debug = vi.spyOn(console, 'debug').mockImplementation(() => {})
      onTestFinished(() => debug.mockRestore())
      await sendOne({ logger })
      return debug.mock.calls.length
    },
    cases: [
      [{}, 0],
      [{ logger: { debug: (fields) => console.debug(fields) } }, 1],
    ],
  },
  hooks: {
    see: async (options) => (await sendOne(options))?.headers['x-hook'],
    cases: [
      [{}, undefined],
      [{ hooks: { beforeRequest: ({ request }) => request.headers.set('x-hook', 'own') } }, 'own'],
    ],
  },
  clock: {
    /** Returns whether a client has waited for a minute of real time. */
    see: async (options) => {
      vi.useFakeTimers()
      onTestFinished(() => void vi.useRealTimers())
      let requests = 0
      const fetch: Fetch = async () => {
        requests += 1
        return Response.json({}, { status: 429, headers: { 'retry-after': '20' } })
      }
      const client = createClient({ baseUrl: 'https://example.com', apiKey, fetch, ...options })
      const ended = client.groups.create(group).catch(() => {})
      await vi.advanceTimersByTimeAsync(1_000)
      const requestsWithinASecond = requests
      await vi.advanceTimersByTimeAsync(120_000)
      await ended
      return [requestsWithinASecond, requests]
    },
    cases: [
      [{}, [1, 3]],
      [{ clock: createTestClock() }, [3, 3]],
    ],
  },
  random: {
    see: async (options) => {
      const ids = new Set<string>()
      for (let times = 0; times < 2; times++)
        ids.add(JSON.parse((await sendOne({ clock: createTestClock(), ...options }))?.body ?? '').groupId)
      return ids.size
    },
    cases: [
      [{}, 2],
      [{ random: () => 0.5 }, 1],
    ],
  },
  allowInsecureHttp: {
    see: async (options) => {
      try {
        createClient({ baseUrl: 'http://service.example', apiKey, ...options })
        return 'accepted'
      } catch (error) {
        return String(error).includes('must use https') && 'refused'
      }
    },
    cases: [
      [{}, 'refused'],
      [{ allowInsecureHttp: true }, 'accepted'],
    ],
  },
})

testOptions<RetryOptions>('retry', {
  limit: {
    see: async (retry) => (await listWaits({ retry })).length,
    cases: [
      [{}, 2],
      [{ limit: 0 }, 0],
      [{ limit: 4 }, 4],
    ],
  },
  backoffMs: {
    see: (retry) => listWaits({ retry: { limit: 6, ...retry } }),
    cases: [
      [{}, [250, 500, 1_000, 2_000, 4_000, 4_000]],
      [{ backoffMs: [40, 60] }, [20, 30, 30, 30, 30, 30]],
    ],
  },
  maxRetryAfterMs: {
    see: async (retry) => {
      const waits = []
      for (const seconds of ['6', '7', '60', '61']) {
        const options = { totalTimeoutMs: Number.POSITIVE_INFINITY, retry: { limit: 1, ...retry } }
        waits.push(...(await listWaits(options, { headers: { 'retry-after': seconds } })))
      }
      return waits
    },
    cases: [
      [{}, [6_000, 7_000, 60_000]],
      [{ maxRetryAfterMs: 6_500 }, [6_000]],
    ],
  },
  writes: {
    see: async (retry) => (await listWaits({ retry }, { status: 500, code: 'internal_error' })).length,
    cases: [
      [{}, 0],
      [{ writes: 'safe' }, 0],
      [{ writes: 'always' }, 2],
    ],
  },
})

testOptions<RequestOptions>('one call', {
  signal: {
    see: (options) => {
      const { fetch, measure } = createSilence()
      const client = createClient({ baseUrl: 'https://example.com', apiKey, fetch })
      return measure(client.groups.create(group, options))
    },
    cases: [
      [{}, 15_000],
      [{ signal: AbortSignal.abort() }, 0],
    ],
  },
  timeoutMs: {
    see: (options) => {
      const { fetch, measure } = createSilence()
      const client = createClient({ baseUrl: 'https://example.com', apiKey, fetch, timeoutMs: 4_000 })
      return measure(client.groups.create(group, options))
    },
    cases: [
      [{}, 4_000],
      [{ timeoutMs: 700 }, 700],
      [{ timeoutMs: 5_000 }, 5_000],
    ],
  },
  headers: {
    see: async (options) => {
      const service = await startService((response) => sendJson(response, 200, record))
      const headers = { 'x-team': 'all', 'x-shop': 'one' }
      await createClient({ baseUrl: service.url, apiKey, headers }).calls.getSummary(callId, options)
      const sent = service.requests[0]?.headers
      return [sent?.['x-team'], sent?.['x-shop']]
    },
    cases: [
      [{}, ['all', 'one']],
      [{ headers: { 'X-Team': 'sales' } }, ['sales', 'one']],
    ],
  },
})

/** Waits for a summary that never exists. Returns the requests, and the virtual time that the wait took. */
const waitInVain = async ({ status, ...options }: WaitOptions & { readonly status: number }) => {
  const service = await startService((response) => sendJson(response, status, {}))
  const clock = createTestClock(0)
  const client = createClient({ baseUrl: service.url, apiKey, clock, random: () => 0 })
  await client.calls.waitForSummary(callId, options).catch(() => {})
  return { requests: service.requests, waitedMs: clock.now() }
}

testOptions<WaitOptions>('waitForSummary()', {
  signal: {
    see: async (options) => (await waitInVain({ status: 202, ...options })).requests.length,
    cases: [
      [{}, 60],
      [{ signal: AbortSignal.abort() }, 0],
    ],
  },
  timeoutMs: {
    see: (options) => countRequests({}, options),
    cases: [
      // Attempts of 15 s or 4 s, with pauses of 2 s.
      [{}, 8],
      [{ timeoutMs: 4_000 }, 20],
    ],
  },
  headers: {
    see: async (options) =>
      (await waitInVain({ status: 202, ...options })).requests.at(-1)?.headers['x-team'],
    cases: [
      [{}, undefined],
      [{ headers: { 'x-team': 'sales' } }, 'sales'],
    ],
  },
  maxWaitMs: {
    see: async (options) => (await waitInVain({ status: 202, ...options })).waitedMs,
    cases: [
      [{}, 120_000],
      [{ maxWaitMs: 9_000 }, 9_000],
    ],
  },
  intervalMs: {
    see: async (options) =>
      (await waitInVain({ status: 202, maxWaitMs: 30_000, ...options })).requests.length,
    cases: [
      [{}, 15],
      [{ intervalMs: 10_000 }, 3],
    ],
  },
  notFoundGraceMs: {
    see: async (options) => (await waitInVain({ status: 404, ...options })).waitedMs,
    cases: [
      [{}, 10_000],
      [{ notFoundGraceMs: 20_000 }, 20_000],
      [{ notFoundGraceMs: Number.POSITIVE_INFINITY }, 120_000],
    ],
  },
  events: {
    /** The number of requests, of which the last is one interval before the end. */
    see: async (options) => (await waitInVain({ status: 404, ...options })).requests.length,
    cases: [
      [{}, 6],
      [{ events: { subscribe: () => () => {} } }, 7],
    ],
  },
})
