import { createMock, type Mock, type MockOptions } from '@wabakit/mock'
import { onTestFinished, vi } from 'vitest'
import { type OptionCases, testOptions, testPairs } from '../../../tools/option-cases.ts'

/** Creates a mock that is closed after the test. */
const open = async (options: MockOptions): Promise<Mock> => {
  const mock = await createMock(options)
  onTestFinished(mock.close)
  return mock
}

const createGroup = ({ wabaNumber, url, fetch }: Mock, headers: Record<string, string>) =>
  fetch(`${url}/whatsapp/wa-group/create`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ wabaNumber, subject: 'Order 1042' }),
  })

/** Returns the status and the code of responses to these keys. */
const listResponses = async (mock: Mock, keys: readonly string[], header = 'authorization') => {
  const seen: unknown[] = []
  for (const key of keys) {
    const response = await createGroup(mock, { [header]: key })
    const { code = '' } = await response.json()
    seen.push([response.status, code])
  }
  return seen
}

const setEnvironment = (name: string, value: string): void => {
  vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
}

const controlToken = 'a-control-token-of-24-bytes'

/** An address at which nothing listens. */
const webhookUrl = 'http://127.0.0.1:9/hook'

/** Returns what arrived at which receiver, with a header. */
const listDeliveries = async (mock: Mock, header: string) => {
  await mock.trigger('CALL_ENDED')
  await mock.clock.advance(0)
  return mock.deliveries.map(({ to, headers }) => [to, headers.get(header)]).toSorted()
}

const cases: OptionCases<MockOptions> = {
  seed: {
    see: async (options) => {
      setEnvironment('WABAKIT_SEED', '7')
      const [mock, again] = [await open(options), await open(options)]
      return [mock.seed, mock.apiKey === again.apiKey]
    },
    cases: [
      [{}, [7, true]],
      [{ seed: 42 }, [42, true]],
    ],
  },
  profile: {
    see: async (options) => {
      setEnvironment('WABAKIT_PROFILE', '')
      const [delivery] = await listDeliveries(await open(options), 'webhook-signature')
      return typeof delivery?.[1]
    },
    cases: [
      [{}, 'string'],
      [{ profile: 'live' }, 'object'],
    ],
  },
  port: {
    see: async (options) => {
      const { url } = await open(options)
      const response = await fetch(`${url}/v1/call/ai-summary`).catch(() => undefined)
      return [new URL(url).hostname, response?.status]
    },
    cases: [
      [{}, ['wabakit-mock.invalid', undefined]],
      [{ port: 0 }, ['127.0.0.1', 401]],
    ],
  },
  host: {
    see: async (options) => {
      const { url } = await open({ port: 0, ...options, controlToken })
      return [new URL(url).hostname, (await fetch(`${url}/v1/call/ai-summary`)).status]
    },
    cases: [
      [{}, ['127.0.0.1', 401]],
      [{ host: '0.0.0.0' }, ['127.0.0.1', 401]],
      [{ host: '127.0.0.2' }, ['127.0.0.2', 401]],
    ],
  },
  controlToken: {
    see: async (options) => {
      const { url } = await open({ port: 0, ...options })
      const authorization = `Bearer ${controlToken}`
      const statuses = [{}, { authorization }, { authorization: `${authorization}s` }].map(
        async (headers) => (await fetch(`${url}/_wabakit/info`, { headers })).status,
      )
      return Promise.all(statuses)
    },
    cases: [
      [{}, [200, 200, 200]],
      [{ controlToken }, [401, 200, 401]],
    ],
  },
  clock: {
    see: async (options) => new Date((await open(options)).clock.now()).getUTCMonth(),
    cases: [
      [{}, 0],
      [{ clock: 'machine' }, new Date().getUTCMonth()],
    ],
  },
  startAt: {
    see: async (options) => {
      const mock = await open(options)
      await mock.trigger('CALL_ENDED')
      const [event] = mock.events
      return [new Date(mock.clock.now()).toISOString(), event && 'callEndedAt' in event && event.callEndedAt]
    },
    cases: [
      [{}, ['2026-01-01T10:00:00.000Z', '2026-01-01T10:00:00.000Z']],
      [{ startAt: '2030-06-01T00:00:00Z' }, ['2030-06-01T00:00:00.000Z', '2030-06-01T00:00:00.000Z']],
      [{ startAt: 0 }, ['1970-01-01T00:00:00.000Z', '1970-01-01T00:00:00.000Z']],
    ],
  },
  callSummaries: {
    see: async (options) => {
      const mock = await open(options)
      const { callId } = await mock.simulateCall({ summary: false })
      await mock.simulateSummary(callId)
      const found = await mock.server.calls.find(mock.organizationId, callId)
      return found?.summary?.generatedBy
    },
    cases: [
      [{}, 'automatic'],
      [{ callSummaries: 'manual' }, 'team_member'],
    ],
  },
  joinApprovalMode: {
    see: async (options) => {
      const mock = await open(options)
      await mock.client().groups.create({ wabaNumber: mock.wabaNumber, subject: 'Order 1042' })
      const { items } = await mock.server.groups.list(mock.organizationId)
      return items.map((group) => group.joinApprovalMode)
    },
    cases: [
      [{}, ['auto_approve']],
      [{ joinApprovalMode: 'approval_required' }, ['approval_required']],
    ],
  },
  integrationEnabled: {
    see: async (options) => {
      const mock = await open(options)
      return listResponses(mock, [mock.apiKey])
    },
    cases: [
      [{}, [[200, '']]],
      [{ integrationEnabled: false }, [[422, 'integration_disabled']]],
    ],
  },
  rateLimit: {
    see: async (options) => {
      // Only requests over HTTP have an address.
      const mock = { ...(await open({ port: 0, ...options })), fetch }
      const seen = await listResponses(mock, [mock.apiKey, mock.apiKey, 'wrong', 'wrong'])
      return seen.map((each) => [each].flat()[0])
    },
    cases: [
      [{}, [200, 200, 401, 401]],
      [{ rateLimit: { organization: { requests: 1, perMs: 60_000 } } }, [200, 429, 401, 401]],
      [{ rateLimit: { key: { requests: 1, perMs: 60_000 } } }, [200, 429, 401, 401]],
      [{ rateLimit: { ip: { requests: 1, perMs: 60_000 } } }, [200, 200, 401, 429]],
    ],
  },
  authHeader: {
    see: async (options) => {
      const mock = await open(options)
      const statuses: number[] = []
      for (const name of ['authorization', 'x-public-api-key', 'x-own'])
        statuses.push((await createGroup(mock, { [name]: mock.apiKey })).status)
      return statuses
    },
    cases: [
      [{}, [200, 200, 401]],
      [{ authHeader: 'X-Own' }, [401, 401, 200]],
    ],
  },
  webhookUrl: {
    see: async (options) => (await listDeliveries(await open(options), 'x')).map(([to]) => to),
    cases: [
      [{}, ['collector']],
      [{ webhookUrl }, ['collector', webhookUrl]],
    ],
  },
  webhookAuth: {
    see: async (options) => listDeliveries(await open(options), 'authorization'),
    cases: [
      [{}, [['collector', null]]],
      [{ webhookAuth: { token: 't0ken' } }, [['collector', 'Bearer t0ken']]],
      [{ webhookAuth: { urlToken: 't0ken' } }, [['collector', null]]],
    ],
  },
  live: {
    see: async (options) => {
      const mock = await open({ profile: 'live', ...options })
      const response = await mock.fetch(`${mock.url}/v1/call/ai-summary?callId=c`, {
        headers: { authorization: mock.apiKey, 'x-public-api-key': mock.apiKey },
      })
      await mock.client().groups.create({ wabaNumber: mock.wabaNumber, subject: 'Order 1042' })
      await mock.clock.advance(0)
      const { event, inviteLink } = JSON.parse(mock.deliveries[0]?.body ?? '')
      return [response.status, event, inviteLink === null]
    },
    cases: [
      [{}, [404, 'GROUP_CREATED', false]],
      [{ live: { pstnCalling: false } }, [403, 'GROUP_CREATED', false]],
      [{ live: { groupEventNames: false } }, [404, undefined, false]],
      [{ live: { nullFields: ['inviteLink'] } }, [404, 'GROUP_CREATED', true]],
    ],
  },
}

testOptions<MockOptions>('createMock()', cases)

const fixedClock = /clock\.advance: this mock follows the machine's clock/
const noStart = /startAt is the start of the virtual clock, and clock is 'machine'/
const pathDecides = /authHeader: in the profile "live".*the path determines the header/

testPairs<MockOptions>('createMock()', cases, {
  needs: { host: { port: 0, controlToken }, controlToken: { port: 0 }, live: { profile: 'live' } },
  shows: {
    profile: { clock: fixedClock, authHeader: pathDecides },
    clock: { startAt: noStart },
    startAt: { clock: noStart },
    joinApprovalMode: { integrationEnabled: /disabled/ },
    // The key is checked before the integration and the limits of its organization.
    integrationEnabled: {
      ...{ profile: [[401, '']], live: [[401, '']] },
      authHeader: [[401, 'missing_api_key']],
      rateLimit: [[422, 'integration_disabled']],
    },
    rateLimit: {
      ...{ profile: [401, 401, 401, 401], live: [401, 401, 401, 401], authHeader: [401, 401, 401, 401] },
      // What is refused counts, too.
      integrationEnabled: [422, 429, 401, 401],
    },
    authHeader: { profile: pathDecides, live: pathDecides, integrationEnabled: [401, 401, 422] },
    webhookUrl: { clock: fixedClock },
    webhookAuth: {
      clock: fixedClock,
      webhookUrl: [
        ['collector', 'Bearer t0ken'],
        [webhookUrl, 'Bearer t0ken'],
      ],
    },
    live: {
      clock: fixedClock,
      integrationEnabled: /returned 422/,
      // The first of its two requests used the limit.
      rateLimit: /returned 429/,
      authHeader: pathDecides,
    },
  },
})
