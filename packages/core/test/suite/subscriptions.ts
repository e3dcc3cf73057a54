import type { SubscriptionInput } from '@wabakit/core'
import { verifySignature } from '@wabakit/webhooks'
import { equal, includes, ok, rejects } from '../../src/testing/assert.ts'
import { defineCases } from './cases.ts'
import { createWorld, postGroup, pstn, type Sent, start, type World, waba } from './world.ts'

const good: SubscriptionInput = { channel: 'WHATSAPP', number: waba, url: 'https://receiver.example/' }

const refuses = async (world: World, changes: object, ...paths: string[]): Promise<void> => {
  const error = await rejects(world.server.subscriptions.create('acme', { ...good, ...changes }), {
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
  'are created with a random secret that can be read only then': async () => {
    const { server } = await createWorld()
    const { secret, ...created } = await server.subscriptions.create('acme', good)
    ok(secret.startsWith('whsec_'), secret)
    includes(created, {
      channel: 'WHATSAPP',
      number: waba,
      events: 'all',
      enabled: true,
      disabledReason: null,
    })
    equal((await server.subscriptions.list('acme')).items, [created])
    equal(await server.subscriptions.find('acme', created.id), created)
    ok(!JSON.stringify(await server.subscriptions.list('acme')).includes(secret), 'no list holds the secret')
    equal(await server.subscriptions.find('other', created.id), undefined)
  },

  'keep their URL in its normal form': async () => {
    const { server } = await createWorld()
    const { id, url } = await server.subscriptions.create('acme', {
      ...good,
      url: ' HTTPS://Receiver.EXAMPLE:443/a/../hooks\t\n',
    })
    equal(url, 'https://receiver.example/hooks')
    await server.subscriptions.update('acme', id, { url: 'https://receiver.example/\u001b[2J\u202e\u009b' })
    const found = await server.subscriptions.find('acme', id)
    equal(found?.url, 'https://receiver.example/%1B[2J%E2%80%AE%C2%9B')
  },

  'refuse credentials in their URL, also when it is changed, without repeating them': async () => {
    const { server } = await createWorld()
    const { id } = await server.subscriptions.create('acme', good)
    for (const url of ['https://user:pass@receiver.example/', 'https://user@receiver.example/']) {
      for (const attempt of [
        server.subscriptions.create('acme', { ...good, url }),
        server.subscriptions.update('acme', id, { url }),
      ]) {
        const error = await rejects(attempt, { code: 'invalid_input' })
        equal(String(error), 'InputError: url: must not contain a user name or password')
      }
    }
    equal((await server.subscriptions.find('acme', id))?.url, good.url)
  },

  'refuse what cannot be right, with issues': async () => {
    const world = await createWorld()
    await refuses(world, { channel: 'SMS' }, 'channel')
    await refuses(world, { number: '+15550200001' }, 'number')
    await refuses(world, { number: pstn }, 'number')
    await refuses(world, { channel: 'PSTN' }, 'number')
    await refuses(
      world,
      { number: 'nobody', url: 'x', events: [], secret: 'short' },
      'number',
      'url',
      'events',
      'secret',
    )
    await refuses(world, { events: ['CALL_ENDED', 'CALL_EXPLODED'] }, 'events.1')
    await refuses(world, { secret: 'whsec_c2hvcnQ=' }, 'secret')
    equal((await world.server.subscriptions.list('acme')).items, [])
  },

  'send to https anywhere; to http only on loopback, where the server allows it': async () => {
    const world = await createWorld()
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
    ]) {
      await refuses(world, { url }, 'url')
    }
    const local = await createWorld({ allowLoopbackHttp: true })
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
    ]) {
      await refuses(local, { url }, 'url')
    }
  },

  'compare their number by its digits and keep it as it was given': async () => {
    const world = await createWorld()
    const created = await world.server.subscriptions.create('acme', { ...good, number: '15550100001' })
    equal(created.number, '15550100001')
    await postGroup(world)
    await world.advance(0)
    equal(world.sent.length, 1)
  },

  'can be changed, and what is omitted stays': async () => {
    const world = await createWorld()
    const id = await world.subscribe()
    const changed = await world.server.subscriptions.update('acme', id, { events: ['CALL_ENDED'] })
    includes(changed, {
      events: ['CALL_ENDED'],
      url: 'https://receiver.example/',
      enabled: true,
      revision: 2,
    })
    await postGroup(world)
    await world.server.subscriptions.update('acme', id, {
      events: ['GROUP_CREATED'],
      url: 'https://new.example/',
    })
    await postGroup(world)
    await world.advance(0)
    equal(
      world.sent.map(({ url }) => url),
      ['https://new.example/'],
    )
    for (const change of [{ url: 'http://x.example/' }, { events: ['NO'] as never }]) {
      await rejects(world.server.subscriptions.update('acme', id, change), { code: 'invalid_input' })
    }
  },

  'that are not there are a typed error': async () => {
    const { subscriptions } = (await createWorld()).server
    const expected = { code: 'record_not_found', kind: 'subscription', id: 'sub' }
    await rejects(subscriptions.update('acme', 'sub', {}), expected)
    await rejects(subscriptions.rotateSecret('acme', 'sub'), expected)
    await rejects(subscriptions.remove('acme', 'sub'), expected)
    await rejects(subscriptions.create('nobody', good), { code: 'record_not_found', kind: 'organization' })
  },

  'of another organization can be neither changed nor removed': async () => {
    const world = await createWorld()
    const id = await world.subscribe()
    const { subscriptions } = world.server
    await rejects(subscriptions.update('other', id, { enabled: false }), { code: 'record_not_found' })
    await rejects(subscriptions.rotateSecret('other', id), { code: 'record_not_found' })
    await rejects(subscriptions.remove('other', id), { code: 'record_not_found' })
    equal((await subscriptions.find('acme', id))?.enabled, true)
  },

  'that are removed get nothing more': async () => {
    const world = await createWorld()
    const id = await world.subscribe()
    await postGroup(world)
    await world.server.subscriptions.remove('acme', id)
    await postGroup(world)
    await world.advance(86_400_000)
    equal(world.sent, [])
    equal((await world.server.deliveries.list('acme')).items, [])
  },

  'sign with both secrets while one is rotated, then with the new one': async () => {
    const world = await createWorld()
    const { id, secret: old } = await world.server.subscriptions.create('acme', good)
    const rotated = await world.server.subscriptions.rotateSecret('acme', id, { overlapMs: 60_000 })
    ok(rotated.secret !== old, 'a new secret')
    equal(rotated.previousSecretExpiresAt, start + 60_000)
    await postGroup(world)
    await world.advance(0)
    const [during] = world.sent
    ok(during !== undefined, 'it was sent')
    equal(during.headers.get('webhook-signature')?.split(' ').length, 2)
    equal([await isSignedBy(during, old), await isSignedBy(during, rotated.secret)], [true, true])

    world.clock.time += 60_000
    await postGroup(world)
    await world.advance(0)
    const after = world.sent.at(-1)
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
  },

  'can be rotated to a secret of your own, at once': async () => {
    const world = await createWorld()
    const { id, secret: old } = await world.server.subscriptions.create('acme', good)
    const secret = `whsec_${btoa('x'.repeat(32))}`
    const rotated = await world.server.subscriptions.rotateSecret('acme', id, { secret, overlapMs: 0 })
    equal([rotated.secret, rotated.previousSecretExpiresAt], [secret, null])
    await postGroup(world)
    await world.advance(0)
    const [sent] = world.sent
    ok(sent !== undefined, 'it was sent')
    equal([await isSignedBy(sent, old), await isSignedBy(sent, secret)], [false, true])
    await rejects(world.server.subscriptions.rotateSecret('acme', id, { secret: 'x' }), {
      code: 'invalid_input',
    })
  },

  'use the secret and URL of the moment of each attempt': async () => {
    const world = await createWorld()
    const { id } = await world.server.subscriptions.create('acme', good)
    world.respond = () => new Response(null, { status: 500 })
    await postGroup(world)
    await world.advance(0)
    const { secret } = await world.server.subscriptions.rotateSecret('acme', id, { overlapMs: 0 })
    await world.server.subscriptions.update('acme', id, { url: 'https://new.example/' })
    await world.advance(6_000)
    const retry = world.sent[1]
    ok(retry !== undefined, 'it was tried again')
    equal(retry.url, 'https://new.example/')
    await verifySignature({
      payload: retry.body,
      headers: retry.headers,
      secrets: [secret],
      now: () => retry.at,
    })
  },

  'that are changed by many at the same moment lose no change': async () => {
    const world = await createWorld()
    const id = await world.subscribe()
    const { subscriptions } = world.server
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
