import { readMessages } from '@wabakit/wire'
import { createLiveStream } from '../../src/control/stream/live-stream.ts'
import { sha256 } from '../../src/values/sha256.ts'
import { equal, ok } from '../store-cases/assert.ts'
import { defineCases } from './cases.ts'
import {
  createBody,
  createScenario,
  getSummary,
  playCall,
  postGroup,
  type Scenario,
  start,
} from './scenario.ts'
import { openStore } from './stage.ts'

/** Listeners. */
export const observationCases = defineCases('Observation', {
  'a live stream shows events in order, and no attempt before its event': async () => {
    const store = await openStore()
    const [here, there] = [await createScenario({ store }), await createScenario({ store })]
    await here.subscribe()
    const { events, on, dispatcher } = here.server
    let created = 0
    // Each time the stream has read, another process publishes an event, which is attempted here at once.
    const list: typeof events.list = async (...query) => {
      const page = await events.list(...query)
      if (created < 3) {
        await postGroup(there, { ...createBody, groupId: `g${++created}` })
        await dispatcher.runDue()
      }
      return page
    }
    const live = createLiveStream({
      service: { events: { ...events, list }, on, dispatcher },
      store,
      after: (_, run) => {
        const timer = setTimeout(run)
        return () => clearTimeout(timer)
      },
      onError: (error) => here.errors.push(error),
    })
    const shown: string[] = []
    for await (const { name, data } of readMessages(
      await live.open({ organizationId: 'acme', after: undefined }),
    )) {
      shown.push(`${name} ${JSON.parse(data).subject}`)
      if (shown.length === 6) live.close()
    }
    equal(
      shown,
      ['g1', 'g2', 'g3'].flatMap((id) => [`event group:${id}`, `attempt group:${id}`]),
    )
    equal([...here.errors, ...there.errors], [])
  },

  'on listens to events by name, or to all with *, and passes on the publication of each': async () => {
    const { server, ...scenario } = await createScenario()
    const named: string[] = []
    server.on('CALL_ENDED', (event, publication) => {
      named.push(event.callId)
      equal(publication.event, event)
      equal([publication.organizationId, publication.occurredAt], ['acme', scenario.clock.time])
    })
    const callId = await playCall({ server, ...scenario })
    equal(named, [callId])
    equal(scenario.names().length, 3)
    equal(scenario.errors, [])
  },

  'listeners receive an event after it is stored': async () => {
    const scenario = await createScenario()
    const found = new Promise<unknown>((resolve) => {
      scenario.server.on('GROUP_CREATED', async ({ groupId }) =>
        resolve(await scenario.server.groups.find('acme', groupId)),
      )
    })
    await postGroup(scenario)
    ok((await found) !== undefined, 'the group is there')
  },

  'the function that on returns removes the listener': async () => {
    const scenario = await createScenario()
    let heard = 0
    const listener = () => heard++
    scenario.server.on('GROUP_CREATED', listener)()
    scenario.server.on('*', listener)()
    await postGroup(scenario)
    equal(heard, 0)
  },

  'a listener that is added twice is called twice, and each function removes it once': async () => {
    const scenario = await createScenario()
    let heard = 0
    const listener = () => heard++
    const stop = scenario.server.on('*', listener)
    scenario.server.on('*', listener)
    await postGroup(scenario)
    stop()
    await postGroup(scenario)
    equal(heard, 3)
  },

  'onRequest reports the duration and the call of a request, until the listener is removed': async () => {
    const base = await openStore()
    let passing = 25
    const scenario: Scenario = await createScenario({
      store: {
        ...base,
        findCall: async (...ids) => {
          scenario.clock.time += passing
          return base.findCall(...ids)
        },
      },
    })
    const reports: unknown[] = []
    const stop = scenario.server.onRequest(({ callId, groupId, isRepeated, status, durationMs, caller }) =>
      reports.push([callId, groupId, isRepeated, status, durationMs, caller?.organization.id]),
    )
    await getSummary(scenario, 'c1')
    passing = -25
    await getSummary(scenario, 'c2')
    await getSummary(scenario, 'c3', { key: null })
    stop()
    await getSummary(scenario, 'c4')
    equal(reports, [
      ['c1', null, false, 404, 25, 'acme'],
      ['c2', null, false, 404, 0, 'acme'],
      [null, null, false, 401, 0, undefined],
    ])
  },

  'onRequest reports everything about a request, with its key masked in both bodies': async () => {
    const scenario = await createScenario()
    const reports: unknown[] = []
    const fingerprints: unknown[] = []
    // The address and the user agent are those of the connection on which the suite runs.
    scenario.server.onRequest(({ caller, address: _, userAgent: __, keyFingerprint, ...report }) => {
      reports.push({ ...report, caller: caller && [caller.organization.id, caller.key.organizationId] })
      fingerprints.push(keyFingerprint)
    })
    const body = { ...createBody, groupId: 'wk_all_0123456789' }
    const responses = [
      await postGroup(scenario, body),
      await postGroup(scenario, { ...body, subject: 'Another' }),
      await postGroup(scenario, body, { key: 'wk_wrong_0123456789' }),
      await getSummary(scenario, 'c1', { key: 'wk_other_0123456789' }),
    ]
    const texts = await Promise.all(responses.map((each) => each.text()))
    const masked = texts.map((text) => text.replaceAll('wk_all_0123456789', '•••'))
    const sent = JSON.stringify({ ...body, groupId: '•••' })
    const create = { method: 'POST', path: '/whatsapp/wa-group/create', endpoint: 'groups.create' }
    const common = {
      ...{ startedAt: start, durationMs: 0, groupId: null, callId: null, isRepeated: false },
      ...{ query: null, keyFault: null },
    }
    const { groupId } = body
    equal(
      fingerprints,
      ['all', 'all', 'wrong', 'other'].map((name) => sha256(`wk_${name}_0123456789`).slice(0, 8)),
    )
    ok(masked[0]?.includes('•••') && masked[1]?.includes('•••'), 'both responses have the id')
    equal(
      reports,
      [
        { ...create, groupId, caller: ['acme', 'acme'], status: 200, code: null, requestBody: sent },
        {
          ...{ ...create, groupId, caller: ['acme', 'acme'], status: 422, code: 'group_id_conflict' },
          requestBody: sent.replace('Launch', 'Another'),
        },
        {
          ...{ ...create, caller: null, status: 401, code: 'invalid_api_key', requestBody: null },
          keyFault: 'unknown',
        },
        {
          ...{ method: 'GET', path: '/v1/call/ai-summary', endpoint: 'calls.getSummary', callId: 'c1' },
          ...{ caller: ['other', 'other'], status: 404, code: 'summary_not_found', requestBody: null },
          query: 'callId=***',
        },
      ].map((each, index) => ({
        ...{ ...common, ...each, responseBody: masked[index] },
        requestId: responses[index]?.headers.get('x-request-id'),
      })),
    )
  },

  'an error that a listener of onRequest throws is passed to onError and does not affect other listeners':
    async () => {
      const scenario = await createScenario()
      const thrown = new Error('thrown')
      let reports = 0
      scenario.server.onRequest(() => {
        throw thrown
      })
      scenario.server.onRequest(() => reports++)
      equal((await postGroup(scenario)).status, 200)
      equal([reports, scenario.errors.length, scenario.errors[0] === thrown], [1, 1, true])
    },

  'a delivery is `attempting` while it is attempted, until the latest time at which the attempt can end':
    async () => {
      const responded = Promise.withResolvers<Response>()
      const { server, clock, ...scenario } = await createScenario({ fetch: () => responded.promise })
      await scenario.subscribe()
      await postGroup({ server, clock, ...scenario })
      await postGroup({ server, clock, ...scenario })
      const list = async (statuses?: readonly ('pending' | 'attempting' | 'delivered')[]) =>
        (await server.deliveries.list('acme', { statuses })).items.map(({ status }) => status).sort()
      equal(await list(), ['pending', 'pending'])
      server.dispatcher.start()
      while ((await list(['attempting'])).length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
      const [attempting] = (await server.deliveries.list('acme', { statuses: ['attempting'] })).items
      ok(attempting !== undefined && (attempting.dueAt ?? 0) > clock.time, String(attempting?.dueAt))
      const { cancel, retry } = server.deliveries
      equal([await cancel('acme', attempting.id), await retry('acme', attempting.id)], [false, false])
      equal([await list(['delivered']), (await list(['pending', 'attempting'])).length], [[], 2])
      responded.resolve(new Response())
      while ((await list(['delivered'])).length < 2) await new Promise((resolve) => setTimeout(resolve, 1))
      equal(await list(['pending', 'attempting']), [])
      await server.dispatcher.stop()
    },

  'an error that a listener throws is passed to onError and does not affect other listeners': async () => {
    const scenario = await createScenario()
    let heard = 0
    scenario.server.on('GROUP_CREATED', () => {
      throw new Error('thrown')
    })
    scenario.server.on('*', async () => {
      throw new Error('rejected')
    })
    scenario.server.on('*', () => heard++)
    equal((await postGroup(scenario)).status, 200)
    equal(heard, 1)
    equal(scenario.errors.map(String).sort(), ['Error: rejected', 'Error: thrown'])
  },

  'a listener may remove itself or others while it is called': async () => {
    const scenario = await createScenario()
    const heard: string[] = []
    const stopFirst = scenario.server.on('*', () => {
      heard.push('first')
      stopFirst()
      stopSecond()
    })
    const stopSecond = scenario.server.on('*', () => heard.push('second'))
    await postGroup(scenario)
    await postGroup(scenario)
    equal(heard, ['first', 'second'])
  },
})
