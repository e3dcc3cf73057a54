import { createIds, type ReferenceServerOptions, StorageUnavailableError } from '@wabakit/core'
import { equal, includes, ok, rejects } from '../store-cases/assert.ts'
import { defineCases } from './cases.ts'
import {
  createBody,
  createScenario,
  expectError,
  getSummary,
  postGroup,
  type Scenario,
  seeded,
} from './scenario.ts'
import { openStore } from './stage.ts'

const limited = (rateLimit: ReferenceServerOptions['rateLimit']): Promise<Scenario> =>
  createScenario({ rateLimit })

const readHeaders = ({ headers }: Response) => ({
  limit: headers.get('ratelimit'),
  policy: headers.get('ratelimit-policy'),
  retryAfter: headers.get('retry-after'),
})

/** Rate limits. */
export const rateLimitCases = defineCases('Rate limits', {
  'by organization, across all its keys: 429 with Retry-After': async () => {
    const scenario = await limited({ organization: { requests: 3, perMs: 60_000 }, key: false })
    for (const key of ['wk_all_0123456789', 'wk_second_0123456789', 'wk_all_0123456789']) {
      ok((await getSummary(scenario, 'x', { key })).status !== 429, 'within the limit')
    }
    const response = await getSummary(scenario, 'x', { key: 'wk_second_0123456789' })
    equal(readHeaders(response), {
      limit: '"organization";r=0;t=60',
      policy: '"organization";q=3;w=60',
      retryAfter: '20',
    })
    const body = await expectError(response, 429, 'rate_limited')
    equal(body.message, 'Too many requests. Try again in 20 s.')
    equal((await getSummary(scenario, 'x', { key: 'wk_other_0123456789' })).status, 404)
  },

  'by organization: onRequest names the organization of a refused request': async () => {
    const scenario = await limited({ organization: { requests: 1, perMs: 60_000 } })
    const reports: unknown[] = []
    scenario.server.onRequest(({ status, caller }) => reports.push([status, caller?.organization.id]))
    for (const key of ['wk_all_0123456789', 'wk_second_0123456789', 'wk_wrong_0123456789']) {
      await getSummary(scenario, 'x', { key })
    }
    equal(reports, [
      [404, 'acme'],
      [429, 'acme'],
      [401, undefined],
    ])
  },

  'by call: requests for one summary do not use up those for another': async () => {
    const scenario = await limited({ call: { requests: 2, perMs: 60_000 } })
    for (const _ of [1, 2]) equal((await getSummary(scenario, 'x')).status, 404)
    const response = await getSummary(scenario, 'x')
    includes(readHeaders(response), { policy: '"call";q=2;w=60', retryAfter: '30' })
    await expectError(response, 429, 'rate_limited')
    equal((await getSummary(scenario, 'y')).status, 404)
    equal((await postGroup(scenario)).status, 200)
  },

  'by call: two organizations may have calls with the same id': async () => {
    const scenario = await limited({ call: { requests: 1, perMs: 60_000 } })
    for (const status of [404, 429]) equal((await getSummary(scenario, 'x')).status, status)
    equal((await getSummary(scenario, 'x', { key: 'wk_other_0123456789' })).status, 404)
  },

  'by key: requests with one key do not use up the limit of another': async () => {
    const scenario = await limited({ organization: false, key: { requests: 2, perMs: 10_000 } })
    await postGroup(scenario)
    await postGroup(scenario)
    equal((await postGroup(scenario)).status, 429)
    ok(
      (await getSummary(scenario, 'x', { key: 'wk_second_0123456789' })).status !== 429,
      'the other key is not limited',
    )
  },

  'by key: two organizations may have keys with the same id': async () => {
    const others = createIds({ clock: { now: () => 0 }, random: seeded(1) })
    let keys = 0
    const scenario = await createScenario({
      rateLimit: { organization: false, key: { requests: 1, perMs: 60_000 } },
      // The first organization has two keys, and the second one has one.
      ids: (prefix) => (prefix === 'key' ? `key_${keys++ % 2}` : others(prefix)),
    })
    for (const status of [404, 429]) equal((await getSummary(scenario, 'x')).status, status)
    equal((await getSummary(scenario, 'x', { key: 'wk_other_0123456789' })).status, 404)
  },

  'a client succeeds after the wait that Retry-After requests, and not sooner': async () => {
    for (const [requests, perMs] of [
      [3, 60_000],
      [7, 1_000],
      [60, 60_000],
      [1, 3_700],
      [100, 33],
    ] as const) {
      const scenario = await limited({ organization: { requests, perMs }, key: false })
      for (let index = 0; index < requests; index++)
        equal((await getSummary(scenario, 'unknown')).status, 404)
      for (let round = 0; round < 3; round++) {
        let response = await getSummary(scenario, 'unknown')
        while (response.status === 404) response = await getSummary(scenario, 'unknown')
        equal(response.status, 429)
        const wait = Number(response.headers.get('retry-after')) * 1_000
        ok(wait > 0 && wait < perMs / requests + 1_000, `a wait of ${wait} ms`)
        const before = scenario.clock.time
        scenario.clock.time += Math.max(0, Math.floor(perMs / requests) - 1)
        equal((await getSummary(scenario, 'unknown')).status, 429)
        scenario.clock.time = before + wait
        equal((await getSummary(scenario, 'unknown')).status, 404)
      }
    }
  },

  'the RateLimit headers are correct on every response': async () => {
    const scenario = await limited({
      organization: { requests: 10, perMs: 60_000 },
      key: { requests: 5, perMs: 60_000 },
    })
    equal(readHeaders(await postGroup(scenario)), {
      limit: '"organization";r=9;t=6, "key";r=4;t=12',
      policy: '"organization";q=10;w=60, "key";q=5;w=60',
      retryAfter: null,
    })
    includes(readHeaders(await postGroup(scenario, '{')), {
      limit: '"organization";r=8;t=12, "key";r=3;t=24',
    })
    scenario.clock.time += 24_000
    includes(readHeaders(await getSummary(scenario, 'x')), {
      limit: '"organization";r=9;t=6, "key";r=4;t=12',
    })
  },

  'every response to a counted request has the RateLimit headers, whatever its status': async () => {
    const scenario = await createScenario({ rateLimit: {} })
    const ask = async (method: string, path: string, key: string | null, body: string | null = null) => {
      const headers = { 'content-type': 'application/json', ...(key !== null && { authorization: key }) }
      const request = new Request(`https://api.example.com${path}`, { method, headers, body })
      const response = await scenario.server.fetch(request, { remoteAddress: '192.0.2.1' })
      return [response.status, readHeaders(response).policy]
    }
    const create = '/whatsapp/wa-group/create'
    const byKey = '"organization";q=600;w=60, "key";q=300;w=60'
    const byAddress = '"ip";q=60;w=60'
    const key = 'wk_second_0123456789'
    equal(await ask('POST', create, key, '{'), [400, byKey])
    equal(await ask('POST', create, key, JSON.stringify(createBody)), [403, byKey])
    equal(await ask('GET', '/admin', key), [404, byKey])
    equal(await ask('GET', create, key), [405, byKey])
    equal(await ask('GET', '/v1/call/ai-summary?callId=x', key), [404, byKey])
    equal(await ask('POST', create, null, '{'), [401, byAddress])
    equal(await ask('POST', create, 'nobody', '{'), [401, byAddress])
    equal(await ask('GET', '/admin', 'nobody'), [404, byAddress])
    equal(await ask('GET', create, null), [405, byAddress])
  },

  'a rejected request takes no token': async () => {
    const scenario = await limited({
      organization: { requests: 10, perMs: 10_000 },
      key: { requests: 1, perMs: 10_000 },
    })
    await postGroup(scenario)
    for (let index = 0; index < 20; index++) equal((await postGroup(scenario)).status, 429)
    includes(readHeaders(await getSummary(scenario, 'x', { key: 'wk_second_0123456789' })), {
      limit: '"organization";r=8;t=2, "key";r=0;t=10',
    })
  },

  'are checked after the key and before the body': async () => {
    const scenario = await limited({ organization: { requests: 1, perMs: 10_000 } })
    await postGroup(scenario)
    await expectError(await postGroup(scenario, '{'), 429, 'rate_limited')
    await expectError(await postGroup(scenario, '{', { key: 'nobody' }), 401, 'invalid_api_key')
    equal(scenario.names(), ['GROUP_CREATED'])
  },

  'by IP for requests without a valid key': async () => {
    const scenario = await limited({ ip: { requests: 2, perMs: 60_000 } })
    const stranger = { key: 'nobody', remoteAddress: '192.0.2.1' }
    equal((await postGroup(scenario, createBody, { remoteAddress: '192.0.2.1' })).status, 200)
    equal((await postGroup(scenario, createBody, stranger)).status, 401)
    equal((await postGroup(scenario, createBody, { ...stranger, key: null })).status, 401)
    for (let round = 0; round < 2; round++) {
      const response = await postGroup(scenario, createBody, stranger)
      equal(readHeaders(response), { limit: '"ip";r=0;t=60', policy: '"ip";q=2;w=60', retryAfter: '30' })
      await expectError(response, 429, 'rate_limited')
    }
    equal((await postGroup(scenario, createBody, { ...stranger, remoteAddress: '192.0.2.2' })).status, 401)
    equal((await postGroup(scenario, createBody, { key: 'nobody' })).status, 401)
  },

  'by IP reject further keys before they are looked up, even valid ones, until the next token': async () => {
    const store = await openStore()
    let lookups = 0
    const findCaller: typeof store.findCaller = (hash) => {
      lookups++
      return store.findCaller(hash)
    }
    const scenario = await createScenario({
      store: { ...store, findCaller },
      rateLimit: { ip: { requests: 1, perMs: 10_000 } },
    })
    const ask = async (key: string) =>
      (await getSummary(scenario, 'x', { key, remoteAddress: '192.0.2.1' })).status
    equal([await ask('nobody'), await ask('nobody')], [401, 429])
    const before = lookups
    for (let round = 0; round < 50; round++) equal(await ask(`nobody-${round}`), 429)
    equal(await ask('wk_all_0123456789'), 429)
    equal(lookups, before)
    scenario.clock.time += 4_000
    const waiting = await getSummary(scenario, 'x', { key: 'nobody', remoteAddress: '192.0.2.1' })
    equal(readHeaders(waiting), { limit: '"ip";r=0;t=6', policy: '"ip";q=1;w=10', retryAfter: '6' })
    scenario.clock.time += 6_000
    equal(await ask('wk_all_0123456789'), 404)
    equal([await ask('nobody'), await ask('nobody')], [401, 429])
  },

  'by IP do not lock out a key that was valid from the same address before': async () => {
    const scenario = await limited({ ip: { requests: 1, perMs: 60_000 } })
    const ask = async (key: string, remoteAddress: string) =>
      (await getSummary(scenario, 'x', { key, remoteAddress })).status
    equal(await ask('wk_all_0123456789', '192.0.2.1'), 404)
    equal([await ask('nobody', '192.0.2.1'), await ask('nobody', '192.0.2.1')], [401, 429])
    equal([await ask('nobody', '192.0.2.2'), await ask('nobody', '192.0.2.2')], [401, 429])
    equal(await ask('wk_all_0123456789', '192.0.2.1'), 404)
    equal(await ask('wk_all_0123456789', '192.0.2.2'), 429)
    equal(await ask('wk_second_0123456789', '192.0.2.1'), 429)
  },

  'by IP do not lock out a valid key whose IPv6 address changes within its network': async () => {
    const scenario = await limited({ ip: { requests: 1, perMs: 60_000 } })
    const ask = async (key: string, remoteAddress: string) =>
      (await getSummary(scenario, 'x', { key, remoteAddress })).status
    equal(await ask('wk_all_0123456789', '2001:db8:0:1::1'), 404)
    equal([await ask('nobody', '2001:db8:0:1::2'), await ask('nobody', '2001:db8:0:1::2')], [401, 429])
    equal(await ask('wk_all_0123456789', '2001:db8:0:1:f00d::3'), 404)
    const other = '2001:db8:0:2::1'
    equal([await ask('nobody', other), await ask('nobody', other)], [401, 429])
    equal(await ask('wk_all_0123456789', other), 429)
  },

  'by IP end when the clock is set back by an hour': async () => {
    const scenario = await limited({ ip: { requests: 1, perMs: 1_000 } })
    const ask = async (key: string) =>
      (await getSummary(scenario, 'x', { key, remoteAddress: '192.0.2.1' })).status
    equal([await ask('nobody'), await ask('nobody')], [401, 429])
    scenario.clock.time -= 3_600_000
    equal(await ask('wk_all_0123456789'), 404)
  },

  'count requests without a valid key, whatever their path': async () => {
    const scenario = await limited({ ip: { requests: 2, perMs: 60_000 } })
    const ask = async (method: string, path: string, headers = {}) =>
      (
        await scenario.server.fetch(new Request(`https://api.example.com${path}`, { method, headers }), {
          remoteAddress: '192.0.2.1',
        })
      ).status
    equal(await ask('GET', '/admin'), 404)
    equal(await ask('DELETE', '/whatsapp/wa-group/create', { authorization: 'nobody' }), 405)
    equal(await ask('GET', '/admin'), 429)
    equal((await postGroup(scenario, createBody, { key: 'nobody', remoteAddress: '192.0.2.1' })).status, 429)
  },

  'count requests with a valid key toward that key, whatever their path': async () => {
    const scenario = await limited({
      key: { requests: 1, perMs: 60_000 },
      ip: { requests: 1, perMs: 60_000 },
    })
    const ask = async () =>
      (
        await scenario.server.fetch(
          new Request('https://api.example.com/admin', { headers: { authorization: 'wk_all_0123456789' } }),
          { remoteAddress: '192.0.2.1' },
        )
      ).status
    equal([await ask(), await ask()], [404, 429])
    equal((await postGroup(scenario, createBody, { key: 'nobody', remoteAddress: '192.0.2.1' })).status, 401)
  },

  'count an IPv6 network of 64 bits as one address, and a mapped IPv4 address as itself': async () => {
    const scenario = await limited({ ip: { requests: 1, perMs: 60_000 } })
    const ask = async (remoteAddress: string) =>
      (await getSummary(scenario, 'x', { key: 'nobody', remoteAddress })).status
    equal(await ask('2001:db8:0:1::1'), 401)
    for (const same of ['2001:db8:0:1::2', '2001:0DB8:0:1:ffff:ffff:ffff:ffff', '2001:db8:0:1::1%eth0']) {
      equal(await ask(same), 429, same)
    }
    for (const another of ['2001:db8:0:2::1', '2001:db8::1', '::1', 'fe80::1%eth0'])
      equal(await ask(another), 401, another)
    equal(await ask('203.0.113.7'), 401)
    equal(await ask('::ffff:203.0.113.7'), 429)
  },

  'forwarded headers do not count': async () => {
    const scenario = await limited({ ip: { requests: 1, perMs: 60_000 } })
    const ask = async (address: string) => {
      const headers = { 'x-forwarded-for': address, forwarded: `for=${address}` }
      return (await getSummary(scenario, 'x', { key: 'nobody', headers, remoteAddress: '192.0.2.1' })).status
    }
    equal([await ask('192.0.2.7'), await ask('192.0.2.8')], [401, 429])
  },

  'still work when the clock is set back': async () => {
    const scenario = await limited({ organization: { requests: 2, perMs: 10_000 }, key: false })
    await postGroup(scenario)
    await postGroup(scenario)
    scenario.clock.time -= 3_600_000
    const response = await postGroup(scenario)
    equal(response.headers.get('retry-after'), '5')
    scenario.clock.time += 5_000
    equal((await postGroup(scenario)).status, 200)
  },

  'lead to 503 if the bucket store cannot be reached': async () => {
    const take = () => Promise.reject(new StorageUnavailableError('down'))
    const scenario = await limited({ buckets: { take } })
    await expectError(await postGroup(scenario), 503, 'storage_unavailable')
    equal(scenario.names(), [])
  },

  'that would admit no request are rejected when the server is created': async () => {
    for (const limit of [
      { requests: 0, perMs: 1 },
      { requests: 1, perMs: 0 },
      { requests: Number.NaN, perMs: 1 },
    ]) {
      await rejects(limited({ ip: limit }), { code: 'invalid_input' })
    }
  },
})
