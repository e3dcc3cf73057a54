import { createReferenceServer, StorageUnavailableError } from '@wabakit/core'
import { equal, includes, ok, rejects } from '../store-cases/assert.ts'
import { defineCases } from './cases.ts'
import { acme, createScenario, postGroup, pstn, waba } from './scenario.ts'
import { openStore } from './stage.ts'

/** Organizations. */
export const tenancyCases = defineCases('Organizations', {
  'are created at run time, with numbers and keys': async () => {
    const scenario = await createScenario()
    const created = await scenario.server.organizations.create({
      integrations: [{ wabaNumber: '+15550300001' }],
      apiKeys: [{ key: 'wk_third_0123456789' }],
    })
    ok(/^org_\w{26}$/.test(created.id), created.id)
    includes(created, { callSummaries: 'automatic', pstnNumbers: [], revision: 1 })
    const body = { wabaNumber: '15550300001', subject: 'x' }
    equal((await postGroup(scenario, body, { key: 'wk_third_0123456789' })).status, 200)
    const bare = await scenario.server.organizations.create({})
    includes(bare, { integrations: [], pstnNumbers: [] })
    equal(await scenario.server.apiKeys.list(bare.id), [])
    await rejects(scenario.server.organizations.create({ id: created.id }), {
      code: 'record_exists',
      kind: 'organization',
    })
  },

  'are reported as outcome unknown if one is left without its keys': async () => {
    const cause = new StorageUnavailableError('down')
    const down = () => Promise.reject(cause)
    const scenario = await createScenario({
      organizations: [],
      store: { ...(await openStore()), addApiKey: down, removeOrganization: down },
    })
    const created = scenario.server.organizations.create({
      id: 'new',
      apiKeys: [{ key: 'wk_new_0123456789' }],
    })
    await rejects(created, { code: 'outcome_unknown', cause })
    equal((await scenario.server.organizations.find('new'))?.id, 'new')
  },

  'are changed field by field; a function receives the current record': async () => {
    const scenario = await createScenario()
    const { organizations } = scenario.server
    const changed = await organizations.update('acme', { callSummaries: 'manual' })
    includes(changed, { callSummaries: 'manual', revision: 2 })
    equal(changed.integrations.length, 3)
    const number = (index: number) => `+1555040000${index}`
    const adding = Array.from({ length: 10 }, (_, index) =>
      organizations.update('acme', ({ pstnNumbers }) => ({
        pstnNumbers: [...pstnNumbers.map((own) => own.number), number(index)],
      })),
    )
    await Promise.all(adding)
    equal((await organizations.find('acme'))?.pstnNumbers.length, 11)
    await rejects(organizations.find('a\0'), { code: 'invalid_input' })
    await rejects(organizations.update('a\0', {}), { code: 'invalid_input' })
    await rejects(organizations.update('nobody', {}), { code: 'record_not_found', kind: 'organization' })
  },

  'reject invalid and repeated numbers, and unknown settings': async () => {
    const { organizations } = (await createScenario()).server
    const refuses = async (settings: object, ...paths: string[]) => {
      const error = await rejects(organizations.create({ id: 'new', ...settings }), { code: 'invalid_input' })
      ok(error instanceof Error && 'issues' in error && Array.isArray(error.issues), 'issues')
      equal(
        error.issues.map(({ path }) => path),
        paths,
      )
      equal(await organizations.find('new'), undefined)
    }
    await refuses({ integrations: [{ wabaNumber: 'x' }] }, 'integrations.0.wabaNumber')
    await refuses({ integrations: [{ wabaNumber: '1' }, { wabaNumber: '+1' }] }, 'integrations.1')
    await refuses(
      { integrations: [{ wabaNumber: '1', joinApprovalMode: 'no' }] },
      'integrations.0.joinApprovalMode',
    )
    await refuses({ pstnNumbers: ['1', '', 'x'] }, 'pstnNumbers.1', 'pstnNumbers.2')
    await refuses({ pstnNumbers: ['1', '2', '(1)'] }, 'pstnNumbers.2')
    await refuses({ callSummaries: 'sometimes' }, 'callSummaries')
    await refuses({ id: '' }, 'id')
    await refuses({ id: 'a\0' }, 'id')
    await rejects(organizations.update('acme', { pstnNumbers: ['x'] }), { code: 'invalid_input' })
  },

  'that are declared are updated if they are already in the store': async () => {
    const store = await openStore()
    const first = await createScenario({ store })
    await postGroup(first, { wabaNumber: waba, subject: 'x', groupId: 'kept' })
    const declared = {
      ...acme,
      pstnNumbers: [],
      apiKeys: [{ key: 'wk_all_0123456789' }, { key: 'wk_new_0123456789' }],
    }
    const second = createReferenceServer({ store, organizations: [declared], rateLimit: false })
    await second.ready()
    includes(await second.organizations.find('acme'), { pstnNumbers: [], revision: 2 })
    equal((await second.apiKeys.list('acme')).length, 3)
    ok((await second.groups.find('acme', 'kept')) !== undefined, 'the group is kept')
  },

  'that are declared with a key of another organization are rejected': async () => {
    const store = await openStore()
    await createScenario({ store })
    const server = createReferenceServer({
      store,
      organizations: [{ id: 'thief', apiKeys: [{ key: 'wk_all_0123456789' }] }],
    })
    await rejects(server.ready(), { code: 'record_exists', kind: 'api key' })
  },

  'are none unless they are declared or created': async () => {
    const { organizations } = createReferenceServer()
    equal((await organizations.list()).items, [])
  },

  'that are declared may have no keys, and are declared again after the store has failed': async () => {
    const store = await openStore()
    const server = createReferenceServer({ store, organizations: [{ id: 'keyless' }] })
    await server.ready()
    equal(await server.apiKeys.list('keyless'), [])
    let isDown = true
    const addApiKey: typeof store.addApiKey = async (record) => {
      if (isDown) throw new StorageUnavailableError('down')
      return store.addApiKey(record)
    }
    const second = createReferenceServer({ store: { ...store, addApiKey }, organizations: [acme] })
    await rejects(second.ready(), { code: 'storage_unavailable' })
    isDown = false
    await second.ready()
    equal((await second.apiKeys.list('acme')).length, acme.apiKeys.length)
  },

  'that are declared are found by operations immediately afterwards': async () => {
    const server = createReferenceServer({ organizations: [acme] })
    const found = await Promise.all([
      server.organizations.find('acme'),
      server.organizations.list().then(({ items }) => items[0]),
      server.apiKeys.list('acme').then(([key]) => key),
    ])
    equal(found.includes(undefined), false)
  },

  'are checked when the server is created': async () => {
    const key = 'wk_same_0123456789'
    for (const [options, path] of [
      [{ organizations: [{ id: '' }] }, 'organizations.0.id'],
      [{ organizations: [{ id: 'x' }, { id: '' }] }, 'organizations.1.id'],
      [{ organizations: [acme, { id: 'x', pstnNumbers: ['abc'] }] }, 'organizations.1.pstnNumbers.0'],
      [{ organizations: [{ id: 'x', apiKeys: [{ key: 'short' }] }] }, 'organizations.0.apiKeys.0.key'],
      [
        { organizations: [{ id: 'x', apiKeys: [{ key, wabaNumbers: ['1', 'x'] }] }] },
        'organizations.0.apiKeys.0.wabaNumbers.1',
      ],
      [
        { organizations: ['x', 'y'].map((id) => ({ id, apiKeys: [{ key }] })) },
        'organizations.1.apiKeys.0.key',
      ],
      [{ auth: { header: 'api key' } }, 'auth.header'],
      [{ rateLimit: { ip: { requests: 0, perMs: 1 } } }, 'rateLimit.ip'],
    ] as const) {
      const create = async () => createReferenceServer(options)
      const error = await rejects(create(), { name: 'InputError' })
      ok(String(error).includes(path), String(error))
    }
  },

  'that are declared by two processes at the same time are created once': async () => {
    const store = await openStore()
    const servers = [1, 2, 3].map(() => createReferenceServer({ store, organizations: [acme] }))
    await Promise.all(servers.map((server) => server.ready()))
    equal((await store.listApiKeys('acme')).length, 2)
    equal((await store.listOrganizations({ limit: 10 })).items.length, 1)
  },

  'are not created if one of their keys cannot be': async () => {
    const { organizations, apiKeys } = (await createScenario()).server
    const key = 'wk_valid_0123456789'
    for (const wrong of [
      'wk_other_0123456789',
      'with space',
      ` ${key}`,
      `${key} `,
      `${key}é`,
      'wk_123456789012',
    ]) {
      await rejects(
        organizations.create({ id: 'new', apiKeys: [{ key: 'wk_new_0123456789' }, { key: wrong }] }),
      )
      equal(await organizations.find('new'), undefined)
    }
    await apiKeys.create('acme', { key: 'wk_new_0123456789' })
  },

  'have keys for some numbers, which must be numbers': async () => {
    const { apiKeys } = (await createScenario()).server
    const wrong = await rejects(apiKeys.create('acme', { wabaNumbers: ['1', 'x'] }), {
      code: 'invalid_input',
    })
    ok(String(wrong).includes('wabaNumbers.1: '), String(wrong))
    const { key, record } = await apiKeys.create('acme', { wabaNumbers: [waba] })
    ok(/^key_\w{26}$/.test(record.id), record.id)
    includes(record, { label: '', wabaNumbers: ['15550100001'] })
    const taken = await rejects(apiKeys.create('other', { key }), { code: 'record_exists', kind: 'api key' })
    ok(String(taken).includes(`"${record.hash.slice(0, 8)}"`), String(taken))
    await rejects(apiKeys.create('acme', { label: 'a\0' }), { code: 'invalid_input' })
    await rejects(apiKeys.create('nobody', {}), { code: 'record_not_found', kind: 'organization' })
  },

  'receive simulated events unchanged, and listeners do not receive them': async () => {
    const scenario = await createScenario()
    await scenario.subscribe('PSTN')
    const payload = '{ "eventType":"OLD" ,"é": 1}'
    const event = { name: 'CALL_MISSED', subject: 'call:c1', channel: 'PSTN', number: pstn, payload } as const
    const published = await scenario.server.events.publish('acme', event)
    ok(/^evt_\w{26}$/.test(published.id), published.id)
    equal(published.hasCustomPayload, false)
    await scenario.advance(0)
    equal(
      scenario.sent.map(({ body, headers }) => [body, headers.get('webhook-id')]),
      [[payload, published.id]],
    )
    equal(scenario.names(), [])
    equal((await scenario.server.events.list('acme', { names: ['CALL_MISSED'] })).items, [published])
    await scenario.server.events.publish('acme', event, { hasCustomPayload: true })
    await scenario.advance(0)
    equal(scenario.sent.length, 2)
    const refuse = (changes: object, path: string, message: string) =>
      rejects(scenario.server.events.publish('acme', { ...event, ...changes }), {
        issues: [{ path, message }],
      })
    await refuse({ number: '1' }, 'number', 'must be a PSTN number of the organization')
    await refuse({ subject: '🎉'.repeat(262) }, 'subject', 'must have at most 261 characters')
    await scenario.server.events.publish('acme', { ...event, subject: '🎉'.repeat(261) })
    await rejects(scenario.server.events.publish('acme', { ...event, payload: '\0' }), {
      code: 'invalid_input',
    })
  },

  'examine a limited number of records for a page, unless an index finds all that match': async () => {
    const base = await openStore()
    let examined: unknown
    const { events, deliveries } = (
      await createScenario({
        store: {
          ...base,
          listEvents: async (query) => {
            examined = query.maxExamined
            return base.listEvents(query)
          },
          listDeliveries: async (query) => {
            examined = query.maxExamined
            return base.listDeliveries(query)
          },
          resendDeliveries: async (query) => {
            examined = query.maxExamined
            return base.resendDeliveries(query)
          },
        },
      })
    ).server
    for (const [query, ofEvents, ofDeliveries] of [
      [{}, undefined, undefined],
      [{ eventId: 'evt_1' }, undefined, undefined],
      [{ subject: 's', text: undefined }, undefined, undefined],
      [{ text: 'x' }, 20_000, 20_000],
      [{ subject: 's', names: ['CALL_ENDED'] }, 20_000, 20_000],
      [{ subscriptionId: 'sub_1' }, 20_000, undefined],
    ] as const) {
      await events.list('acme', query)
      equal(examined, ofEvents, `events ${JSON.stringify(query)}`)
      await deliveries.list('acme', query)
      equal(examined, ofDeliveries, `deliveries ${JSON.stringify(query)}`)
      await deliveries.resend('acme', { ...query, all: true })
      equal(examined, ofDeliveries, `resend ${JSON.stringify(query)}`)
    }
  },
})
