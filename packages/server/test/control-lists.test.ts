import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { findOperation, listFields } from '../src/cli/operation-options.ts'
import { acme, control, createGroup, start } from './fixture.ts'

const wabaNumber = acme.integrations[0]?.wabaNumber
const path = '/organizations/acme'

/** Waits for the next millisecond, and returns its time. */
const nextMillisecond = async (): Promise<string> => {
  const time = Date.now() + 1
  while (Date.now() < time) await setImmediate()
  return new Date(time).toISOString()
}

test('finds events and deliveries by each filter, with the same names', async () => {
  const server = await start()
  const { body: subscription } = await control(server, `POST ${path}/subscriptions`, {
    channel: 'WHATSAPP',
    number: wabaNumber,
    url: 'http://127.0.0.1:9/',
  })
  await createGroup(server.url, { groupId: 'a', subject: 'Order 1042' })
  const between = await nextMillisecond()
  await createGroup(server.url, { groupId: 'b', subject: 'Order 1043' })
  const [{ id: eventId }] = (await control(server, `GET ${path}/events`)).body.items
  const number = encodeURIComponent(wabaNumber ?? '')

  for (const list of ['events', 'deliveries']) {
    const find = async (query: string): Promise<string[]> => {
      const { body } = await control(server, `GET ${path}/${list}?${query}`)
      return body.items.map(({ subject }: { subject: string }) => subject)
    }
    expect(await find('group=b')).toEqual(['group:b'])
    expect(await find('call=b')).toEqual([])
    expect(await find('text=ORDER%201042')).toEqual(['group:a'])
    expect(await find(`text=${eventId}`)).toEqual(['group:a'])
    expect(await find('name=CALL_ENDED,GROUP_CREATED')).toEqual(['group:a', 'group:b'])
    expect(await find('name=CALL_ENDED')).toEqual([])
    expect(await find(`number=${number}&order=newest_first`)).toEqual(['group:b', 'group:a'])
    expect(await find('number=%2B1999')).toEqual([])
    expect(await find(`from=${between}`)).toEqual(['group:b'])
    expect(await find(`before=${between}`)).toEqual(['group:a'])
  }
  const { body } = await control(
    server,
    `GET ${path}/deliveries?status=pending,attempting,waiting&subscription=${subscription.id}&event=${eventId}`,
  )
  expect(body.items).toMatchObject([{ eventId, subscriptionId: subscription.id }])
})

test('names the invalid filter', async () => {
  const server = await start()
  for (const [query, issue] of [
    ['status=pending,nonsense', 'status.1'],
    ['number=abc', 'number'],
    ['call=a&group=b', 'call'],
    ['from=yesterday', 'from'],
    ['text=', 'text'],
    ['nonsense=1', ''],
  ]) {
    const { status, body } = await control(server, `GET ${path}/deliveries?${query}`)
    expect([query, status, body.issues?.[0]?.path]).toEqual([query, 400, issue])
  }
})

test('refuses two different subjects, instead of ignoring one', async () => {
  const server = await start()
  const { body } = await control(server, `GET ${path}/events?subject=call:a&call=b`)
  expect(body).toMatchObject({ code: 'invalid_input', issues: [{ path: 'call' }] })
})

test('finds calls and groups by each filter', async () => {
  const numbers = ['+15550100001', '+15550100002'] as const
  const integrations = numbers.map((each) => ({ wabaNumber: each }))
  const server = await start({ organizations: [{ ...acme, integrations, pstnNumbers: [...numbers] }] })
  let between = ''
  for (const [index, channelNumber] of numbers.entries()) {
    between = await nextMillisecond()
    const call = { callId: `c${index}`, channelNumber, customerNumber: `+1555019900${index}` }
    await server.service.calls.start('acme', { ...call, channel: 'PSTN', direction: 'INCOMING' })
    await createGroup(server.url, {
      groupId: `g${index}`,
      subject: `Order ${index}`,
      wabaNumber: channelNumber,
    })
  }
  await server.service.calls.miss('acme', 'c1')
  await server.service.participants.join('acme', { groupId: 'g1', phone: '+15550199001' })

  const find = async (query: string) => {
    const [list] = query.split('?')
    const { body } = await control(server, `GET ${path}/${query}`)
    return [list, body.items.map(({ callId, groupId }: Record<string, string>) => callId ?? groupId)]
  }
  for (const query of [
    'number=%2B15550100002',
    'customer=%2B15550199001',
    'state=missed',
    'text=C1',
    'limit=1',
  ])
    expect(await find(`calls?${query}`)).toEqual(['calls', ['c1']])
  for (const query of ['number=%2B15550100002', 'participant=%2B15550199001', 'group=g1', 'text=ORDER%201'])
    expect(await find(`groups?${query}`)).toEqual(['groups', ['g1']])
  for (const [list, ids] of [
    ['calls', ['c0', 'c1']],
    ['groups', ['g0', 'g1']],
  ] as const) {
    expect(await find(`${list}?before=${between}`)).toEqual([list, [ids[0]]])
    expect(await find(`${list}?from=${between}`)).toEqual([list, [ids[1]]])
  }
})

test('a summary that is saved without its origin is one that a team member requested', async () => {
  const server = await start({ organizations: [{ ...acme, callSummaries: 'manual' }] })
  const simulated = await control(server, `POST ${path}/simulated-calls`, { callId: 'c1', summary: false })
  expect(simulated.status).toBe(201)
  const summary = { recap: 'Agreed.', keyPoints: [], nextSteps: [] }
  const save = (generation: object) =>
    control(server, `POST ${path}/calls/c1/summary`, { ...summary, ...generation })

  expect((await save({ generatedBy: 'automatic' })).body.message).toMatch(/automatic/i)
  expect((await save({})).body).toMatchObject({ outcome: 'first', summary })
})

test('responds 404 to every request about an organization that does not exist', async () => {
  const server = await start()
  for (const request of [
    ...['groups', 'calls', 'events', 'deliveries', 'subscriptions', 'api-keys'].map((list) => `GET /${list}`),
    'POST /deliveries/resend',
    'POST /deliveries/cancel',
    'POST /erasures',
  ]) {
    const [method, list] = request.split(' ')
    const body = method === 'GET' ? undefined : {}
    const { status, body: error } = await control(server, `${method} /organizations/amce${list}`, body)
    expect([request, status, error.message]).toEqual([request, 404, 'There is no organization "amce".'])
  }
})

test.each(['a\nb', '..', '.', 'a/b', '%2e'])(
  'finds the group %j, which the public API allows',
  async (groupId) => {
    const server = await start()
    expect((await createGroup(server.url, { groupId })).status).toBe(200)
    const group = encodeURIComponent(groupId)
    for (const list of ['groups', 'events']) {
      expect((await control(server, `GET ${path}/${list}?group=${group}`)).body.items).toHaveLength(1)
    }
    expect((await control(server, `GET ${path}/timeline?group=${group}`)).body.group.groupId).toBe(groupId)
    expect((await control(server, `GET /requests?group=${group}`)).body.items).toHaveLength(1)
    expect((await control(server, `GET ${path}/groups?group=other`)).body.items).toEqual([])
  },
)

test('does not list the id of an erased call', async () => {
  const server = await start()
  const { body: call } = await control(server, `POST ${path}/simulated-calls`, {})
  const headers = { authorization: 'wk_test_key_0123456789' }
  await fetch(`${server.url}/v1/call/ai-summary?callId=${call.callId}`, { headers })
  expect((await control(server, `GET /requests?call=${call.callId}`)).body.items).toHaveLength(1)

  await control(server, `POST ${path}/erasures`, { callId: call.callId })

  expect((await control(server, 'GET /requests')).body.items).toMatchObject([{ status: 200, callId: null }])
  expect((await control(server, `GET /requests?call=${call.callId}`)).body.items).toEqual([])
})

test("hides the id of a call that another process erased, and not that of another organization's call", async () => {
  const other = {
    ...{ id: 'other', pstnNumbers: ['+15550200002'], integrations: [] },
    apiKeys: [{ key: 'wk_other_key_0123456789' }],
  }
  const server = await start({ organizations: [acme, other] })
  for (const { id, apiKeys } of [acme, other]) {
    await control(server, `POST /organizations/${id}/simulated-calls`, { callId: 'c1' })
    const headers = { authorization: apiKeys[0]?.key ?? '' }
    expect((await fetch(`${server.url}/v1/call/ai-summary?callId=c1`, { headers })).status).toBe(200)
  }
  await server.service.erasures.erase('acme', { callId: 'c1' })

  const { items } = (await control(server, 'GET /requests')).body
  expect(items).toMatchObject([
    { organizationId: 'other', callId: 'c1' },
    { organizationId: 'acme', callId: null },
  ])
  const [theirs, erased] = await Promise.all(
    items.map(
      async ({ requestId }: { requestId: string }) =>
        (await control(server, `GET /requests/${requestId}`)).body,
    ),
  )
  const sender = { address: '127.0.0.1', userAgent: expect.any(String), query: 'callId=***' }
  expect(theirs).toMatchObject({ ...sender, callId: 'c1', responseBody: expect.stringContaining('c1') })
  const nothing = { address: null, userAgent: null, query: null, requestBody: null, responseBody: null }
  expect(erased).toMatchObject({ ...nothing, callId: null })
})

test('a page has 100 records by default, and at most 1,000', async () => {
  const server = await start()
  const { groups, participants, calls, subscriptions, events, deliveries, organizations } = server.service
  const subscription = { channel: 'WHATSAPP', number: '+15550100001', url: 'http://127.0.0.1:9/' } as const
  const call = { channel: 'PSTN', direction: 'INCOMING', channelNumber: '+15550100002' } as const
  await subscriptions.create('acme', { ...subscription, enabled: false })
  await groups.create('acme', { wabaNumber: '+15550100001', subject: 'Team', groupId: 'g' })
  for (let index = 0; index < 100; index++) {
    await groups.create('acme', { wabaNumber: '+15550100001', subject: 'Team' })
    await participants.join('acme', { groupId: 'g', phone: `+1555019${9_000 + index}` })
    await calls.start('acme', { ...call, customerNumber: '+15550199001' })
    await subscriptions.create('acme', { ...subscription, events: ['CALL_ENDED'] })
    await organizations.create({ id: `o${index}` })
    await server.service.fetch(new Request('http://localhost/'))
  }
  await participants.join('acme', { groupId: 'g', phone: '+15550198001' })
  await calls.start('acme', { ...call, customerNumber: '+15550199001' })
  await server.service.fetch(new Request('http://localhost/'))

  const lists = ['groups', 'participants?group=g', 'calls', 'subscriptions', 'events', 'deliveries']
  const paths = [...lists.map((list) => `${path}/${list}`), '/organizations', '/requests']
  for (const each of paths) {
    const { items, nextCursor } = (await control(server, `GET ${each}`)).body
    expect([each, items.length, typeof nextCursor]).toEqual([each, 100, 'string'])
    const gap = each.includes('?') ? '&' : '?'
    expect((await control(server, `GET ${each}${gap}limit=1000`)).body.items.length).toBeGreaterThan(100)
    expect((await control(server, `GET ${each}${gap}limit=1001`)).status).toBe(400)
  }
  const all = [groups, calls, subscriptions, events, deliveries].map((each) => each.list('acme'))
  const pages = await Promise.all([...all, organizations.list()])
  expect(pages.map(({ items }) => items.length)).toEqual(Array(6).fill(100))
})

test('changes many deliveries only with a filter, or with an explicit selection of all', async () => {
  const server = await start()
  for (const [change, count] of [
    ['resend', 'resent'],
    ['cancel', 'canceled'],
  ] as const) {
    expect((await control(server, `POST ${path}/deliveries/${change}`, {})).status).toBe(400)
    const all = await control(server, `POST ${path}/deliveries/${change}`, { all: true })
    expect(all.body).toEqual({ [count]: 0 })
  }
})

test('continues a change of many deliveries at the cursor of the previous part', async () => {
  const server = await start()
  // Nothing listens there, so that each delivery waits for its second attempt.
  const subscription = { channel: 'WHATSAPP', number: wabaNumber, url: 'http://127.0.0.1:1/' }
  await control(server, `POST ${path}/subscriptions`, subscription)
  for (const groupId of ['g1', 'g2', 'g3']) await createGroup(server.url, { groupId })
  await server.service.dispatcher.runDue()
  const { nextCursor: cursor } = (await control(server, `GET ${path}/deliveries?limit=1&order=newest_first`))
    .body
  const selection = { all: true, dryRun: true }
  for (const [change, count] of [
    ['resend', 'resent'],
    ['cancel', 'canceled'],
  ] as const) {
    const whole = await control(server, `POST ${path}/deliveries/${change}`, selection)
    const rest = await control(server, `POST ${path}/deliveries/${change}`, { ...selection, cursor })
    expect([whole.body, rest.body]).toEqual([{ [count]: 3 }, { [count]: 2 }])
  }
})

test('lists calls and groups, newest first, with filters', async () => {
  const server = await start()
  await createGroup(server.url, { groupId: 'a', subject: 'Order 1042' })
  await createGroup(server.url, { groupId: 'b', subject: 'Team' })
  for (const outcome of ['answered', 'missed']) {
    await control(server, `POST ${path}/simulated-calls`, { callId: outcome, outcome })
  }
  const listGroups = (query = '') => control(server, `GET ${path}/groups${query}`)
  const listCalls = (query = '') => control(server, `GET ${path}/calls${query}`)

  expect((await listGroups()).body.items.map(({ groupId }: { groupId: string }) => groupId)).toEqual([
    'b',
    'a',
  ])
  expect((await listGroups('?text=order')).body.items).toMatchObject([{ groupId: 'a' }])
  const first = (await listGroups('?limit=1')).body
  expect((await listGroups(`?limit=1&cursor=${first.nextCursor}`)).body).toEqual({
    items: [expect.objectContaining({ groupId: 'a' })],
  })
  expect((await listCalls('?state=missed')).body.items).toMatchObject([{ callId: 'missed' }])
  expect((await listCalls('?text=ANSW')).body.items).toMatchObject([{ callId: 'answered', summary: null }])
  expect((await listCalls('?number=1')).body.items).toEqual([])
  expect((await listCalls('?cursor=nonsense')).status).toBe(400)
})

test('lists requests to the public API without their keys, including those without a valid key', async () => {
  const server = await start()
  await createGroup(server.url, { groupId: 'a' })
  await createGroup(server.url, { groupId: 'a' })
  await createGroup(server.url, { groupId: 'a', subject: 'Another' })
  await createGroup(server.url, { groupId: 'b' }, { authorization: 'wk_test_of_somebody_else' })
  await fetch(`${server.url}/v1/call/ai-summary?callId=unknown`, {
    headers: { authorization: acme.apiKeys[0]?.key ?? '' },
  })

  const { body } = await control(server, 'GET /requests')
  const [summary, stranger, conflict, repeated, created] = body.items
  expect(created).toMatchObject({
    method: 'POST',
    endpoint: 'groups.create',
    status: 200,
    code: null,
    organizationId: 'acme',
    groupId: 'a',
    callId: null,
    repeated: false,
  })
  expect(created.requestId).toMatch(/^req_/)
  expect(repeated).toMatchObject({ status: 200, groupId: 'a', repeated: true })
  expect(conflict).toMatchObject({ status: 422, code: 'group_id_conflict', groupId: 'a' })
  expect(stranger).toMatchObject({ status: 401, code: 'invalid_api_key', organizationId: null, keyId: null })
  expect(summary).toMatchObject({ status: 404, code: 'summary_not_found', callId: 'unknown' })
  expect(JSON.stringify(body)).not.toMatch(/wk_test|somebody/)

  const find = async (query: string) => (await control(server, `GET /requests?${query}`)).body.items
  expect(await find('organization=acme&status=422')).toEqual([conflict])
  expect(await find('call=unknown')).toEqual([summary])
  expect(await find(`text=${created.requestId}`)).toEqual([created])
  expect(await find('code=invalid_api_key')).toEqual([stranger])
  expect(await find('before=2020-01-01T00:00:00Z')).toEqual([])
})

test('each filter of requests selects by its own condition', async () => {
  const other = { id: 'other', apiKeys: [{ key: 'wk_other_key_0123456789' }] }
  const server = await start({ organizations: [acme, other] })
  await createGroup(server.url, { groupId: 'g1' })
  await nextMillisecond()
  const headers = { authorization: 'wk_other_key_0123456789' }
  await fetch(`${server.url}/v1/call/ai-summary?callId=c1`, { headers })
  const [second, first] = (await control(server, 'GET /requests')).body.items
  // The server's own time, because its clock may be a millisecond behind that of the machine.
  const between = second.at
  /** Values that select only the first request, and only the second. */
  const filters: Readonly<Record<string, readonly [string | undefined, string | undefined]>> = {
    organization: ['acme', 'other'],
    key: [first.keyId, second.keyId],
    method: ['POST', 'GET'],
    status: ['200', '404'],
    code: [undefined, 'summary_not_found'],
    group: ['g1', undefined],
    call: [undefined, 'c1'],
    from: [undefined, between],
    before: [between, undefined],
    text: ['wa-group', 'ai-summary'],
  }
  const others = listFields(findOperation('listRequests')).filter((name) => !(name in filters))
  expect(others).toEqual(['cursor', 'limit', 'unidentified'])
  for (const [name, values] of Object.entries(filters)) {
    for (const [index, value] of values.entries()) {
      if (value === undefined) continue
      const { body } = await control(server, `GET /requests?${new URLSearchParams({ [name]: value })}`)
      expect(body, name).toEqual({ items: [index === 0 ? first : second] })
    }
  }
})

test.each([{ callId: 'call_15550109999' }, { customerNumber: '+1 555 010-9999' }])(
  'removes the id of an erased call from requests that got 404, too: %j',
  async (selection) => {
    const server = await start()
    const callId = 'call_15550109999'
    await server.service.organizations.update('acme', { callSummaries: 'manual' })
    const fetchSummary = () =>
      fetch(`${server.url}/v1/call/ai-summary?callId=${callId}`, {
        headers: { authorization: acme.apiKeys[0]?.key ?? '' },
      })
    const channelNumber = '+15550100002'
    const call = { callId, customerNumber: '+15550109999', channel: 'PSTN', direction: 'INCOMING' } as const
    await server.service.calls.start('acme', {
      ...call,
      channelNumber,
      callType: 'AGENT',
      agentNumber: '+15550100003',
    })
    await server.service.calls.accept('acme', callId)
    await server.service.calls.end('acme', callId)
    // The first page of the customer's calls does not contain the oldest one.
    for (let later = 0; later < 100; later++)
      await server.service.calls.start('acme', { ...call, channelNumber, callId: `later_${later}` })
    expect((await fetchSummary()).status).toBe(404)
    expect((await control(server, `GET /requests?call=${callId}`)).body.items).toHaveLength(1)

    await control(server, 'POST /organizations/acme/erasures', { ...selection, dryRun: true })
    expect((await control(server, `GET /requests?call=${callId}`)).body.items).toHaveLength(1)
    await control(server, 'POST /organizations/acme/erasures', selection)
    expect((await control(server, `GET /requests?call=${callId}`)).body.items).toEqual([])
    expect(JSON.stringify((await control(server, 'GET /requests')).body)).not.toContain('15550109999')
  },
)

test('describes the server', async () => {
  const { body } = await control(await start(), 'GET /info')
  expect(body).toEqual({ version: '0.0.0', database: 'memory', role: 'all', can: [] })
})
