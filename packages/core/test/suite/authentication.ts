import {
  createReferenceServer,
  memoryStore,
  StorageOutcomeUnknownError,
  StorageUnavailableError,
} from '@wabakit/core'
import { equal, ok } from '../store-cases/assert.ts'
import { defineCases } from './cases.ts'
import {
  acme,
  createBody,
  createScenario,
  expectError,
  expectNothing,
  getSummary,
  playCall,
  postGroup,
  secondWaba,
  summary,
  waba,
} from './scenario.ts'
import { openStore } from './stage.ts'

const authentication = defineCases('Authentication', {
  'requests carry a Public API key: raw or after Bearer, and perhaps in both headers (rule 1)': async () => {
    const scenario = await createScenario()
    for (const authorization of [
      'wk_all_0123456789',
      'Bearer wk_all_0123456789',
      'bearer  wk_all_0123456789',
      'BEARER wk_all_0123456789',
    ]) {
      const both = { authorization, 'x-public-api-key': 'wk_all_0123456789' }
      for (const headers of [{ authorization }, both]) {
        equal((await postGroup(scenario, createBody, { key: null, headers })).status, 200)
      }
    }
  },
  'when the key is missing, 401 (rule 2)': async () => {
    const scenario = await createScenario()
    for (const authorization of [undefined, '', 'Bearer ', 'Bearer']) {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
      const response = await postGroup(scenario, createBody, { key: null, headers })
      equal(response.headers.get('www-authenticate'), 'Bearer')
      await expectError(response, 401, 'missing_api_key')
    }
    await expectNothing(scenario)
  },
  'when the key is invalid, 401 (rule 2)': async () => {
    const scenario = await createScenario()
    for (const key of [
      'nobody',
      'wk_all_012345678',
      'wk_all_01234567890',
      'WK_ALL_0123456789',
      'Basic wk_all_0123456789',
      'xwk_all_0123456789',
      'wk_all_0123456789 x',
      'Bearer wk_all_0123456789 x',
      'Bearer Bearer wk_all_0123456789',
      '%',
      "' OR '1'='1",
      'constructor',
      '__proto__',
      'wk_all_0123456789, wk_all_0123456789',
      'wk all 0123456789',
    ]) {
      await expectError(await postGroup(scenario, createBody, { key }), 401, 'invalid_api_key')
      await expectError(await getSummary(scenario, 'c1', { key }), 401, 'invalid_api_key')
    }
    await expectNothing(scenario)
  },
  'when the key lacks permission for the wabaNumber, 403 (rule 3)': async () => {
    const scenario = await createScenario()
    await expectError(
      await postGroup(scenario, createBody, { key: 'wk_second_0123456789' }),
      403,
      'waba_number_not_permitted',
    )
    await expectNothing(scenario)
    const permitted = { wabaNumber: '+15550100003', subject: 'x' }
    equal((await postGroup(scenario, permitted, { key: 'wk_second_0123456789' })).status, 200)
  },
  'a key learns nothing about a groupId that is used on a number that it may not use': async () => {
    const scenario = await createScenario()
    const used = { ...createBody, groupId: 'g' }
    equal((await postGroup(scenario, used)).status, 200)
    for (const body of [used, { ...used, subject: 'Another' }, { ...used, wabaNumber: '+1 555-010 0001' }]) {
      const [own, foreign] = [{ key: 'wk_second_0123456789' }, { key: 'wk_other_0123456789' }]
      await expectError(await postGroup(scenario, body, own), 403, 'waba_number_not_permitted')
      await expectError(await postGroup(scenario, body, foreign), 400, 'integration_not_found')
    }
    equal(scenario.names(), ['GROUP_CREATED'])
  },
  'if both headers are present, they must contain the same key, and together they are one guess':
    async () => {
      const remoteAddress = '192.0.2.1'
      const scenario = await createScenario({ rateLimit: { ip: { requests: 3, perMs: 60_000 } } })
      const send = (authorization: string, own: string) =>
        postGroup(scenario, createBody, {
          key: null,
          remoteAddress,
          headers: { authorization, 'x-public-api-key': own },
        })
      for (const [authorization, own] of [
        ['wk_all_0123456789', 'wk_second_0123456789'],
        ['wk_all_0123456789', ''],
        ['', 'wk_all_0123456789'],
      ] as const) {
        const body = await expectError(await send(authorization, own), 401, 'invalid_api_key')
        ok(!JSON.stringify(body).includes('wk_'), 'the message does not contain the keys')
      }
      await expectError(await send('wk_wrong_0123456789', 'wk_all_0123456789'), 429, 'rate_limited')
      await expectNothing(scenario)
    },
  'a removed key is rejected at once': async () => {
    const scenario = await createScenario()
    equal((await postGroup(scenario)).status, 200)
    const keys = await scenario.server.apiKeys.list('acme')
    for (const { id } of keys) equal(await scenario.server.apiKeys.remove('acme', id), true)
    await expectError(await postGroup(scenario), 401, 'invalid_api_key')
  },
  'a new key works at once, and can be read only when it is created': async () => {
    const scenario = await createScenario()
    const { key, record } = await scenario.server.apiKeys.create('acme', { label: 'CI' })
    ok(/^wk_[0-9a-f]{48}$/.test(key), key)
    equal((await postGroup(scenario, createBody, { key })).status, 200)
    const keys = await scenario.server.apiKeys.list('acme')
    equal(keys.at(-1), record)
    ok(!JSON.stringify(keys).includes(key), 'no list contains the key')
  },
  'only the SHA-256 of a key is stored': async () => {
    const { server } = await createScenario()
    const [all] = await server.apiKeys.list('acme')
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode('wk_all_0123456789'))
    const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
    equal(all?.hash, hex)
  },
  'a key belongs to one organization': async () => {
    const { server } = await createScenario()
    const error = await server.apiKeys
      .create('other', { key: 'wk_all_0123456789' })
      .catch((caught: unknown) => caught)
    ok(error instanceof Error && error.name === 'RecordExistsError', String(error))
    ok(!error.message.includes('wk_all_0123456789'), 'the message does not contain the key')
  },
  'a key that is too short is rejected, with advice on how to get a valid one': async () => {
    const { server } = await createScenario()
    for (const key of ['x', 'wk_012345678901']) {
      const error = await server.apiKeys.create('acme', { key }).catch((caught: unknown) => caught)
      ok(error instanceof Error && error.name === 'InputError', String(error))
      equal(error.message, 'key: must have at least 16 visible ASCII characters. Omit it to get a random one')
    }
    await server.apiKeys.create('acme', { key: 'wk_0123456789012' })
  },
  'a caller is recognized by the whole hash of its key': async () => {
    const store = await openStore()
    await createScenario({ store })
    for (const change of [
      (hash: string) => `${hash.slice(0, -1)}${hash.endsWith('0') ? '1' : '0'}`,
      (hash: string) => `${hash.startsWith('0') ? '1' : '0'}${hash.slice(1)}`,
      (hash: string) => hash.slice(0, -1),
      (hash: string) => `${hash}0`,
      () => '',
    ]) {
      // A store whose index finds keys that are merely similar.
      const findCaller: typeof store.findCaller = async (hash) => {
        const caller = await store.findCaller(hash)
        return caller && { ...caller, key: { ...caller.key, hash: change(caller.key.hash) } }
      }
      const scenario = await createScenario({ store: { ...store, findCaller }, organizations: [] })
      await expectError(await postGroup(scenario), 401, 'invalid_api_key')
    }
  },
  'the hash of a key is compared by a function that reads all of it': async () => {
    const store = await openStore()
    await createScenario({ store })
    for (const first of ['', 'x']) {
      let read = 0
      const findCaller: typeof store.findCaller = async (digest) => {
        const caller = await store.findCaller(digest)
        const text = first + digest.slice(first.length)
        // A String object that records what is read of it; no operator finds it equal to a string.
        const hash: unknown = Object.assign(new String(text), {
          charCodeAt: (index: number) => {
            read++
            return text.charCodeAt(index)
          },
        })
        return caller && { ...caller, key: { ...caller.key, hash: hash as string } }
      }
      const scenario = await createScenario({ store: { ...store, findCaller }, organizations: [] })
      equal((await postGroup(scenario)).status, first === '' ? 200 : 401)
      ok(read >= 64, `${read} characters were read`)
    }
  },
  'a key may begin and end like the scheme': async () => {
    const scenario = await createScenario()
    for (const key of ['wk_0123456789_bearer', 'bearer_0123456789']) {
      await scenario.server.apiKeys.create('acme', { key })
      equal((await postGroup(scenario, createBody, { key })).status, 200)
      equal((await postGroup(scenario, createBody, { key: `Bearer ${key}` })).status, 200)
    }
  },
  'a key that is limited to some numbers can see their calls and PSTN calls, and no others': async () => {
    const scenario = await createScenario()
    const hidden = await playCall(scenario, { channel: 'WHATSAPP', number: waba })
    const visible = await playCall(scenario, { channel: 'WHATSAPP', number: secondWaba })
    const telephone = await playCall(scenario, { channel: 'PSTN' })
    for (const callId of [hidden, visible, telephone]) {
      await scenario.server.summaries.save('acme', callId, summary, { generatedBy: 'automatic' })
    }
    await expectError(
      await getSummary(scenario, hidden, { key: 'wk_second_0123456789' }),
      404,
      'summary_not_found',
    )
    equal((await getSummary(scenario, visible, { key: 'wk_second_0123456789' })).status, 200)
    equal((await getSummary(scenario, telephone, { key: 'wk_second_0123456789' })).status, 200)
    equal((await getSummary(scenario, hidden)).status, 200)
  },
})

const failing = (error: () => Error) => {
  const fail = async () => {
    throw error()
  }
  return { ...memoryStore(), createGroup: fail, findCall: fail }
}

const errors = defineCases('Errors', {
  'a body has statusCode, error, message, code and, for fields, issues': async () => {
    const scenario = await createScenario()
    const response = await postGroup(scenario, { ...createBody, subject: '' })
    equal(await response.json(), {
      statusCode: 400,
      error: 'Bad Request',
      message: 'subject must not be empty.',
      code: 'invalid_subject',
      issues: [{ path: 'subject', message: 'subject must not be empty' }],
    })
  },
  'if the storage cannot be reached, the response is 503 with Retry-After, and nothing has happened':
    async () => {
      const store = failing(() => new StorageUnavailableError('the disk is full', { retryAfterMs: 1_500 }))
      const scenario = await createScenario({ store })
      for (const response of [await postGroup(scenario), await getSummary(scenario, 'c1')]) {
        equal(response.headers.get('retry-after'), '2')
        const body = await expectError(response, 503, 'storage_unavailable')
        ok(!JSON.stringify(body).includes('disk'), 'no detail of the storage is revealed')
      }
      await expectNothing(scenario)
      equal(scenario.errors.length, 2)
    },
  'if a commit was not confirmed, the response is 503 without Retry-After, with advice to find out first':
    async () => {
      const memory = await openStore()
      const scenario = await createScenario({
        store: { ...memory, createGroup: () => Promise.reject(new StorageOutcomeUnknownError('cut off')) },
      })
      const response = await postGroup(scenario)
      equal(response.headers.get('retry-after'), null)
      const body = await expectError(response, 503, 'outcome_unknown')
      ok(!JSON.stringify(body).includes('cut off'), 'no detail of the storage is revealed')
      equal(scenario.errors.length, 1)
    },
  'an unexpected error is 500, reveals nothing, and is passed to onError': async () => {
    const scenario = await createScenario({ store: failing(() => new Error('secret detail')) })
    const response = await postGroup(scenario)
    ok(response.headers.get('x-request-id') !== null, 'it has a request id')
    const body = await expectError(response, 500, 'internal_error')
    ok(!JSON.stringify(body).includes('secret'), JSON.stringify(body))
    equal(scenario.errors.map(String), ['Error: secret detail'])
    await expectNothing(scenario)
  },
  'organizations that could not be declared are declared by the next request': async () => {
    const store = await openStore()
    let isDown = true
    const saveOrganization: typeof store.saveOrganization = (organization) =>
      isDown ? Promise.reject(new StorageUnavailableError('down')) : store.saveOrganization(organization)
    const server = createReferenceServer({
      organizations: [acme],
      store: { ...store, saveOrganization },
      onError: () => {},
    })
    const ask = () =>
      server.fetch(
        new Request('https://api.example.com/v1/call/ai-summary?callId=x', {
          headers: { authorization: 'wk_all_0123456789' },
        }),
      )
    equal((await ask()).status, 503)
    isDown = false
    equal((await ask()).status, 404)
  },
})

/** Authentication, permission and errors. */
export const authenticationCases = [...authentication, ...errors]
