import type { SubscriptionInput } from '@wabakit/core'
import { verifySignature } from '@wabakit/webhooks'
import { equal, includes, ok, rejects } from '../store-cases/assert.ts'
import { defineCases } from './cases.ts'
import { createScenario, postGroup, pstn, type Scenario, type Sent, start, waba } from './scenario.ts'

const good: SubscriptionInput = { channel: 'WHATSAPP', number: waba, url: 'https://receiver.example/' }

const refuses = async (scenario: Scenario, changes: object, ...paths: string[]): Promise<void> => {
  const error = await rejects(scenario.server.subscriptions.create('acme', { ...good, ...changes }), {
    code: 'invalid_input',
  })
  ok(error instanceof Error && 'issues' in error && Array.isArray(error.issues), 'issues')
  equal(
    error.issues.map(({ path }) => path),
    paths,
  )
}

const isSignedBy = async ({ body, headers }: Sent, secret: string): Promise<boolean> => {
  try {
    await verifySignature({
      payload: body,
      headers,
      secrets: [secret],
      toleranceSeconds: 0,
      now: () => start,
    })
    return true
  } catch {
    return false
  }
}

/** Subscriptions. */
export const subscriptionCases = defineCases('Subscriptions', {
  'are created with a random secret that cannot be read later': async () => {
    const { server } = await createScenario()
    const { secret, ...created } = await server.subscriptions.create('acme', good)
    ok(secret.startsWith('whsec_'), secret)
    ok(/^sub_\w{26}$/.test(created.id), created.id)
    includes(created, {
      channel: 'WHATSAPP',
      number: waba,
      events: 'all',
      enabled: true,
      disabledReason: null,
    })
    equal((await server.subscriptions.list('acme')).items, [created])
    equal(await server.subscriptions.find('acme', created.id), created)
    ok(
      !JSON.stringify(await server.subscriptions.list('acme')).includes(secret),
      'no list contains the secret',
    )
    equal(await server.subscriptions.find('other', created.id), undefined)
  },

  'store their URL in its normalized form': async () => {
    const { server } = await createScenario()
    const { id, url } = await server.subscriptions.create('acme', {
      ...good,
      url: ' HTTPS://Receiver.EXAMPLE:443/a/../hooks\t\n',
    })
    equal(url, 'https://receiver.example/hooks')
    await server.subscriptions.update('acme', id, { url: 'https://receiver.example/\u001b[2J\u202e\u009b' })
    const found = await server.subscriptions.find('acme', id)
    equal(found?.url, 'https://receiver.example/%1B[2J%E2%80%AE%C2%9B')
  },

  'reject credentials in their URL, even when it changes, without repeating them': async () => {
    const { server } = await createScenario()
    const { id } = await server.subscriptions.create('acme', good)
    for (const url of ['https://user:pass@receiver.example/', 'https://user@receiver.example/']) {
      for (const attempt of [
        () => server.subscriptions.create('acme', { ...good, url }),
        () => server.subscriptions.update('acme', id, { url }),
      ]) {
        const error = await rejects(attempt(), { code: 'invalid_input' })
        equal(String(error), 'InputError: url: must not contain a user name or password')
      }
    }
    equal((await server.subscriptions.find('acme', id))?.url, good.url)
  },

  'send static headers and authorization with every attempt, and never show their values': async () => {
    const scenario = await createScenario()
    const created = await scenario.server.subscriptions.create('acme', {
      ...good,
      headers: { 'X-Webhook-Token': 't0ken of ours', webhook_tenant: 'a' },
      authorization: { username: 'Jörg', password: 'a:b' },
    })
    equal(created.headerNames, ['authorization', 'webhook_tenant', 'x-webhook-token'])
    const shown = [created, await scenario.server.subscriptions.list('acme')]
    ok(!/t0ken|Basic/.test(JSON.stringify(shown)), 'no value is shown')
    scenario.respond = () => new Response(null, { status: 500 })
    await postGroup(scenario)
    await scenario.advance(6_000)
    equal(scenario.sent.length, 2)
    ok(scenario.sent[0] !== undefined && (await isSignedBy(scenario.sent[0], created.secret)), 'it is signed')
    for (const { headers } of scenario.sent) {
      equal(headers.get('x-webhook-token'), 't0ken of ours')
      equal(headers.get('authorization'), 'Basic SsO2cmc6YTpi')
      equal(headers.get('content-type'), 'application/json')
    }
  },

  'change their headers and their authorization independently': async () => {
    const scenario = await createScenario()
    const { subscriptions } = scenario.server
    const { id } = await subscriptions.create('acme', { ...good, authorization: { token: 'first' } })
    const last = () => {
      const { headers } = scenario.sent.at(-1) ?? {}
      return [headers?.get('x-one'), headers?.get('x-two'), headers?.get('authorization')]
    }
    for (const [change, expected] of [
      [{ headers: { 'x-one': '1' } }, ['1', null, 'Bearer first']],
      [{ headers: { 'x-two': '2' } }, [null, '2', 'Bearer first']],
      [{ authorization: { token: 'second' } }, [null, '2', 'Bearer second']],
      [{ events: 'all' }, [null, '2', 'Bearer second']],
      [{ authorization: null }, [null, '2', null]],
      [{ headers: { Authorization: 'key 1' } }, [null, null, 'key 1']],
      [{ headers: {}, authorization: null }, [null, null, null]],
    ] as const) {
      await subscriptions.update('acme', id, change)
      await postGroup(scenario)
      await scenario.advance(0)
      equal(last(), expected)
    }
  },

  'keep a maximum number of attempts per second until it is changed, from 0.01 to 1,000': async () => {
    const scenario = await createScenario()
    const { subscriptions } = scenario.server
    const { id, maxAttemptsPerSecond } = await subscriptions.create('acme', {
      ...good,
      maxAttemptsPerSecond: 0.5,
    })
    equal(maxAttemptsPerSecond, 0.5)
    equal((await subscriptions.update('acme', id, { events: 'all' })).maxAttemptsPerSecond, 0.5)
    for (const value of [0.01, 1_000, null]) {
      const changed = await subscriptions.update('acme', id, { maxAttemptsPerSecond: value })
      equal(
        [changed.maxAttemptsPerSecond, (await subscriptions.find('acme', id))?.maxAttemptsPerSecond],
        [value, value],
      )
    }
    for (const value of [0, -1, 1_000.1, Number.NaN, Number.POSITIVE_INFINITY]) {
      await refuses(scenario, { maxAttemptsPerSecond: value }, 'maxAttemptsPerSecond')
      await rejects(subscriptions.update('acme', id, { maxAttemptsPerSecond: value }), {
        code: 'invalid_input',
      })
    }
  },

  'lose their headers and their authorization when the origin of the URL changes, unless they are sent again':
    async () => {
      const { server } = await createScenario()
      const secrets = { headers: { 'x-token': 's3cret' }, authorization: { token: 's3cret' } }
      const both = ['authorization', 'x-token']
      for (const [change, expected] of [
        [{ url: 'https://receiver.example/other' }, both],
        [{ url: 'https://receiver.example:443/' }, both],
        [{ url: 'https://elsewhere.example/' }, []],
        [{ url: 'https://receiver.example:8443/' }, []],
        [{ url: 'https://elsewhere.example/', authorization: { token: 'other' } }, ['authorization']],
        [{ url: 'https://elsewhere.example/', headers: secrets.headers }, ['x-token']],
        [{ url: 'https://elsewhere.example/', ...secrets }, both],
      ] as const) {
        const { id } = await server.subscriptions.create('acme', { ...good, ...secrets })
        equal((await server.subscriptions.update('acme', id, change)).headerNames, expected)
      }
    },

  'reject headers that HTTP or the signature uses, or that cannot be sent, without repeating their values':
    async () => {
      const scenario = await createScenario()
      const reserved = [
        ...['webhook-id', 'Webhook-Signature', 'host', 'Content-Length', 'content-type', 'connection'],
        ...['transfer-encoding', 'proxy-authorization', 'te', 'trailer', 'upgrade', 'expect', 'keep-alive'],
      ]
      for (const name of reserved)
        await refuses(scenario, { headers: { [name]: 's3cret' } }, `headers.${name}`)
      for (const value of [
        '',
        ' s3cret',
        's3cret ',
        's3\r\ncret',
        's3\0cret',
        's3\tcret',
        'é',
        '\u007f',
        1,
      ]) {
        await refuses(scenario, { headers: { 'x-token': value } }, 'headers.x-token')
      }
      for (const name of ['', 'a b', 'a\nb', 'a:b', 'é', 'x'.repeat(101)]) {
        await refuses(scenario, { headers: Object.fromEntries([[name, 's3cret']]) }, 'headers')
      }
      const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`x-${index}`, '1']))
      for (const headers of [many, { 'x-a': 'a'.repeat(8_192) }, { 'x-a': '1', 'X-A': '2' }, null, 'x']) {
        await refuses(scenario, { headers }, 'headers')
      }
      const authorization = { token: 't' }
      await refuses(scenario, { headers: { Authorization: 's3cret' }, authorization }, 'headers')
      for (const wrong of [
        ...[{ token: '' }, { token: 's3 cret' }, { token: 's3\ncret' }, {}, 's3cret'],
        ...[
          { username: 'a:b', password: 'c' },
          { username: '', password: '' },
          { username: 'a\n', password: '' },
          { username: '\u0007a', password: 'b' },
          { username: 'a' },
          { username: 'a', password: 1 },
          { password: 'b' },
          { username: 1, password: 'b' },
          { username: 'a'.repeat(1_000), password: 'b'.repeat(25) },
          { token: 't', username: 'a' },
          { token: 5 },
          { token: 't'.repeat(4_097) },
        ],
      ]) {
        await refuses(scenario, { authorization: wrong }, 'authorization')
      }
      const id = await scenario.subscribe()
      const error = await rejects(
        scenario.server.subscriptions.update('acme', id, { headers: { host: 's3cret', 's3cret x': '1' } }),
      )
      ok(!String(error).includes('s3cret'), String(error))
    },

  'have at most 20 headers, with 8,192 characters in total': async () => {
    const scenario = await createScenario()
    const fill = (count: number, characters: number) => {
      const names = Array.from({ length: count }, (_, index) => `x-${10 + index}`)
      const rest = characters - names.join('').length - (count - 1)
      return Object.fromEntries(names.map((name, index) => [name, index === 0 ? 'a'.repeat(rest) : '1']))
    }
    const created = await scenario.server.subscriptions.create('acme', { ...good, headers: fill(20, 8_192) })
    equal(created.headerNames.length, 20)
    await refuses(scenario, { headers: fill(20, 8_193) }, 'headers')
    await refuses(scenario, { headers: fill(21, 8_192) }, 'headers')
  },

  'to OPERATIONS have no number, and may name health events': async () => {
    const scenario = await createScenario()
    const operations = { channel: 'OPERATIONS', number: undefined } as const
    const created = await scenario.server.subscriptions.create('acme', {
      ...good,
      ...operations,
      events: ['subscription.disabled'],
    })
    includes(created, { channel: 'OPERATIONS', number: '', events: ['subscription.disabled'] })
    await refuses(scenario, { ...operations, events: ['subscription.disabled', 'subscription'] }, 'events.1')
    await refuses(scenario, { ...operations, number: waba }, 'number')
  },

  'may be created disabled: then their deliveries are skipped': async () => {
    const scenario = await createScenario()
    const created = await scenario.server.subscriptions.create('acme', { ...good, enabled: false })
    includes(created, { enabled: false, disabledReason: 'by_hand' })
    await postGroup(scenario)
    await scenario.advance(0)
    const { items } = await scenario.server.deliveries.list('acme')
    equal([scenario.sent.length, items.map(({ status }) => status)], [0, ['skipped']])
  },

  'accept secrets that start with whsec_ and have 24 to 64 bytes': async () => {
    const scenario = await createScenario()
    const encode = (bytes: number): string => btoa('k'.repeat(bytes))
    for (const bytes of [24, 64]) {
      await scenario.server.subscriptions.create('acme', { ...good, secret: `whsec_${encode(bytes)}` })
    }
    for (const secret of [
      `whsec_${encode(23)}`,
      `whsec_${encode(65)}`,
      encode(32),
      `whsec_${encode(32)}\n`,
      'whsec_',
    ]) {
      await refuses(scenario, { secret }, 'secret')
      const [subscription] = (await scenario.server.subscriptions.list('acme')).items
      await rejects(scenario.server.subscriptions.rotateSecret('acme', subscription?.id ?? '', { secret }))
    }
  },

  'reject invalid input, with issues': async () => {
    const scenario = await createScenario()
    await refuses(scenario, { channel: 'SMS' }, 'channel')
    await refuses(scenario, { number: '+15550200001' }, 'number')
    await refuses(scenario, { number: pstn }, 'number')
    await refuses(scenario, { channel: 'PSTN' }, 'number')
    await refuses(
      scenario,
      { number: 'nobody', url: 'x', events: [], secret: 'short' },
      'number',
      'url',
      'events',
      'secret',
    )
    await refuses(scenario, { events: ['CALL_ENDED', 'CALL_EXPLODED'] }, 'events.1')
    await refuses(scenario, { secret: 'whsec_c2hvcnQ=' }, 'secret')
    equal((await scenario.server.subscriptions.list('acme')).items, [])
  },

  'reject fields of a wrong type, and unknown ones, before anything happens': async () => {
    const scenario = await createScenario()
    await refuses(scenario, { enabled: 'no' }, 'enabled')
    await refuses(scenario, { number: 15550100001 }, 'number')
    await refuses(scenario, { maxAttemptsPerSecond: '5' }, 'maxAttemptsPerSecond')
    await refuses(scenario, { event: 'all' }, '')
    const { subscriptions } = scenario.server
    const { id } = await subscriptions.create('acme', good)
    for (const change of [{ enabled: 'no' }, { event: 'all' }])
      await rejects(subscriptions.update('acme', id, change as object), { code: 'invalid_input' })
    await rejects(subscriptions.rotateSecret('acme', id, { overlapMs: -1 }), { code: 'invalid_input' })
    equal(
      (await subscriptions.list('acme')).items.map(({ updatedAt }) => updatedAt),
      [start],
    )
  },

  'can use https anywhere, and http only on loopback if the server allows it': async () => {
    const scenario = await createScenario()
    for (const url of [
      'http://receiver.example/',
      'http://127.0.0.1/',
      'ftp://receiver.example/',
      'file:///etc/passwd',
      'javascript:alert(1)',
      '/hook',
      '',
      'https://user:pass@receiver.example/',
      'https://user@receiver.example/',
      'https://:pass@receiver.example/',
    ]) {
      await refuses(scenario, { url }, 'url')
    }
    const local = await createScenario({ allowLoopbackHttp: true })
    for (const url of [
      'http://127.0.0.1:8080/',
      'http://localhost/',
      'http://[::1]:1/',
      'http://127.9.9.9/',
      'https://x.example/',
    ]) {
      await local.server.subscriptions.create('acme', { ...good, url })
    }
    for (const url of [
      'http://10.0.0.1/',
      'http://localhost.example/',
      'http://127.0.0.1.example/',
      'http://0.0.0.0/',
      'ftp://127.0.0.1/',
      'ws://localhost/',
    ]) {
      await refuses(local, { url }, 'url')
    }
  },

  'compare their number by its digits and store it as specified': async () => {
    const scenario = await createScenario()
    const created = await scenario.server.subscriptions.create('acme', { ...good, number: '15550100001' })
    equal(created.number, '15550100001')
    await postGroup(scenario)
    await scenario.advance(0)
    equal(scenario.sent.length, 1)
  },

  'keep everything but what a change contains, and what follows from it': async () => {
    const scenario = await createScenario()
    const { subscriptions } = scenario.server
    const { id } = await subscriptions.create('acme', {
      ...{ ...good, events: ['CALL_ENDED'], maxAttemptsPerSecond: 5, headers: { 'x-a': '1' } },
      authorization: { token: 't' },
    })
    for (const [change, differs] of [
      [{ url: 'https://receiver.example/b' }, { url: 'https://receiver.example/b' }],
      [{ events: ['CALL_ACCEPTED'] }, { events: ['CALL_ACCEPTED'] }],
      [{ maxAttemptsPerSecond: 7 }, { maxAttemptsPerSecond: 7 }],
      [{ headers: { 'x-b': '2' } }, { headerNames: ['authorization', 'x-b'] }],
      [{ authorization: null }, { headerNames: ['x-b'] }],
      [{ enabled: false }, { enabled: false, disabledReason: 'by_hand' }],
      [{ enabled: true }, { enabled: true, disabledReason: null }],
      [{}, {}],
    ] as const) {
      const before = await subscriptions.find('acme', id)
      scenario.clock.time += 1_000
      const expected = { ...before, ...differs, updatedAt: scenario.clock.time }
      const revision = (before?.revision ?? 0) + 1
      equal(await subscriptions.update('acme', id, change), { ...expected, revision })
      equal(await subscriptions.find('acme', id), { ...expected, revision })
    }
    const before = await subscriptions.find('acme', id)
    scenario.clock.time += 1_000
    const { secret: _, ...rotated } = await subscriptions.rotateSecret('acme', id)
    const updatedAt = scenario.clock.time
    const previousSecretExpiresAt = updatedAt + 86_400_000
    const revision = (before?.revision ?? 0) + 1
    equal(rotated, { ...before, updatedAt, previousSecretExpiresAt, revision })
  },

  'that do not exist result in a typed error': async () => {
    const { subscriptions } = (await createScenario()).server
    const expected = { code: 'record_not_found', kind: 'subscription', id: 'sub' }
    await rejects(subscriptions.update('acme', 'sub', {}), expected)
    await rejects(subscriptions.rotateSecret('acme', 'sub'), expected)
    await rejects(subscriptions.remove('acme', 'sub'), expected)
    await rejects(subscriptions.create('nobody', good), { code: 'record_not_found', kind: 'organization' })
  },

  'of another organization can be neither changed nor removed': async () => {
    const scenario = await createScenario()
    const id = await scenario.subscribe()
    const { subscriptions } = scenario.server
    await rejects(subscriptions.update('other', id, { enabled: false }), { code: 'record_not_found' })
    await rejects(subscriptions.rotateSecret('other', id), { code: 'record_not_found' })
    await rejects(subscriptions.remove('other', id), { code: 'record_not_found' })
    equal((await subscriptions.find('acme', id))?.enabled, true)
  },

  'that are removed receive nothing more': async () => {
    const scenario = await createScenario()
    const id = await scenario.subscribe()
    await postGroup(scenario)
    await scenario.server.subscriptions.remove('acme', id)
    await postGroup(scenario)
    await scenario.advance(86_400_000)
    equal(scenario.sent, [])
    equal((await scenario.server.deliveries.list('acme')).items, [])
  },

  'sign with both secrets while one is rotated, then with the new one': async () => {
    const scenario = await createScenario()
    const { id, secret: old } = await scenario.server.subscriptions.create('acme', good)
    const rotated = await scenario.server.subscriptions.rotateSecret('acme', id, { overlapMs: 60_000 })
    ok(rotated.secret !== old, 'a new secret')
    equal(rotated.previousSecretExpiresAt, start + 60_000)
    await postGroup(scenario)
    await scenario.advance(0)
    const [during] = scenario.sent
    ok(during !== undefined, 'it was sent')
    equal(during.headers.get('webhook-signature')?.split(' ').length, 2)
    equal([await isSignedBy(during, old), await isSignedBy(during, rotated.secret)], [true, true])

    scenario.clock.time += 60_000
    await postGroup(scenario)
    await scenario.advance(0)
    const after = scenario.sent.at(-1)
    ok(after !== undefined, 'it was sent')
    equal(after.headers.get('webhook-signature')?.split(' ').length, 1)
    const verifyAfter = (secret: string) =>
      verifySignature({
        payload: after.body,
        headers: after.headers,
        secrets: [secret],
        toleranceSeconds: 0,
        now: () => after.at,
      })
    await verifyAfter(rotated.secret)
    await rejects(verifyAfter(old), { reason: 'no_matching_signature' })

    // A clock that is set back still determines the time.
    scenario.clock.time -= 1
    await postGroup(scenario)
    await scenario.advance(0)
    equal(scenario.sent.at(-1)?.headers.get('webhook-signature')?.split(' ').length, 2)
  },

  'that are gone stay gone when they are disabled by request, until they are enabled': async () => {
    const scenario = await createScenario()
    const id = await scenario.subscribe()
    scenario.respond = () => new Response(null, { status: 410 })
    await postGroup(scenario)
    await scenario.advance(0)
    const { subscriptions } = scenario.server
    equal((await subscriptions.update('acme', id, { enabled: false })).disabledReason, 'gone')
    equal((await subscriptions.update('acme', id, { enabled: true })).disabledReason, null)
    equal((await subscriptions.update('acme', id, { enabled: false })).disabledReason, 'by_hand')
  },

  'can be rotated to a specified secret, without an overlap': async () => {
    const scenario = await createScenario()
    const { id, secret: old } = await scenario.server.subscriptions.create('acme', good)
    const secret = `whsec_${btoa('x'.repeat(32))}`
    const rotated = await scenario.server.subscriptions.rotateSecret('acme', id, { secret, overlapMs: 0 })
    equal([rotated.secret, rotated.previousSecretExpiresAt], [secret, null])
    await postGroup(scenario)
    await scenario.advance(0)
    const [sent] = scenario.sent
    ok(sent !== undefined, 'it was sent')
    equal([await isSignedBy(sent, old), await isSignedBy(sent, secret)], [false, true])
    await rejects(scenario.server.subscriptions.rotateSecret('acme', id, { secret: 'x' }), {
      code: 'invalid_input',
    })
  },

  'use the current secret and URL for each attempt': async () => {
    const scenario = await createScenario()
    const { id } = await scenario.server.subscriptions.create('acme', good)
    scenario.respond = () => new Response(null, { status: 500 })
    await postGroup(scenario)
    await scenario.advance(0)
    const { secret } = await scenario.server.subscriptions.rotateSecret('acme', id, { overlapMs: 0 })
    await scenario.server.subscriptions.update('acme', id, { url: 'https://new.example/' })
    await scenario.advance(6_000)
    const retry = scenario.sent[1]
    ok(retry !== undefined, 'it was retried')
    equal(retry.url, 'https://new.example/')
    await verifySignature({
      payload: retry.body,
      headers: retry.headers,
      secrets: [secret],
      now: () => retry.at,
    })
  },

  'lose no change when they are changed concurrently': async () => {
    const scenario = await createScenario()
    const id = await scenario.subscribe()
    const { subscriptions } = scenario.server
    await Promise.all([
      subscriptions.update('acme', id, { events: ['CALL_ENDED'] }),
      subscriptions.update('acme', id, { url: 'https://new.example/' }),
      subscriptions.rotateSecret('acme', id),
    ])
    includes(await subscriptions.find('acme', id), {
      events: ['CALL_ENDED'],
      url: 'https://new.example/',
      revision: 4,
    })
  },
})
