import { describe, expect, test, vi } from 'vitest'
import { findOperation, listFields } from '../src/cli/operation-options.ts'
import { control } from './fixture.ts'
import { hosts, nextMillisecond } from './hosts.ts'

describe.each(hosts)('$name', ({ organizationId, root, open }) => {
  test('finds events and deliveries by each filter, with the same names', async () => {
    const host = await open()
    const { body: subscription } = await host.subscribe('http://127.0.0.1:9/')
    await host.createGroup({ groupId: 'a', subject: 'Order 1042' })
    const between = await nextMillisecond(host)
    await host.createGroup({ groupId: 'b', subject: 'Order 1043' })
    const [{ id: eventId }] = (await control(host, `GET ${root}/events`)).body.items
    const number = encodeURIComponent(host.wabaNumber)

    for (const list of ['events', 'deliveries']) {
      const find = async (query: string): Promise<string[]> => {
        const { body } = await control(host, `GET ${root}/${list}?${query}`)
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
      host,
      `GET ${root}/deliveries?status=pending,attempting,waiting&subscription=${subscription.id}&event=${eventId}`,
    )
    expect(body.items).toMatchObject([{ eventId, subscriptionId: subscription.id }])
  })

  test('names the invalid filter', async () => {
    const host = await open()
    for (const [query, issue] of [
      ['status=pending,nonsense', 'status.1'],
      ['number=abc', 'number'],
      ['call=a&group=b', 'call'],
      ['from=yesterday', 'from'],
      ['text=', 'text'],
      ['nonsense=1', ''],
    ]) {
      const { status, body } = await control(host, `GET ${root}/deliveries?${query}`)
      expect([query, status, body.issues?.[0]?.path]).toEqual([query, 400, issue])
    }
  })

  test('finds calls and groups by each filter', async () => {
    const host = await open()
    const numbers = [host.wabaNumber, host.pstnNumber]
    await host.service.organizations.update(organizationId, {
      integrations: numbers.map((wabaNumber) => ({ wabaNumber })),
      pstnNumbers: numbers,
    })
    let between = ''
    for (const [index, channelNumber] of numbers.entries()) {
      between = await nextMillisecond(host)
      const call = { callId: `c${index}`, channelNumber, customerNumber: `+1555019900${index}` }
      await host.service.calls.start(organizationId, { ...call, channel: 'PSTN', direction: 'INCOMING' })
      await host.createGroup({
        groupId: `g${index}`,
        subject: `Order ${index}`,
        wabaNumber: channelNumber,
      })
    }
    await host.service.calls.miss(organizationId, 'c1')
    await host.service.participants.join(organizationId, { groupId: 'g1', phone: '+15550199001' })

    const find = async (query: string) => {
      const [list] = query.split('?')
      const { body } = await control(host, `GET ${root}/${query}`)
      return [list, body.items.map(({ callId, groupId }: Record<string, string>) => callId ?? groupId)]
    }
    for (const query of [
      `number=${encodeURIComponent(host.pstnNumber)}`,
      'customer=%2B15550199001',
      'state=missed',
      'text=C1',
      'limit=1',
    ])
      expect(await find(`calls?${query}`)).toEqual(['calls', ['c1']])
    for (const query of [
      `number=${encodeURIComponent(host.pstnNumber)}`,
      'participant=%2B15550199001',
      'group=g1',
      'text=ORDER%201',
    ])
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
    const host = await open({ callSummaries: 'manual' })
    const simulated = await control(host, `POST ${root}/simulated-calls`, { callId: 'c1', summary: false })
    expect(simulated.status).toBe(201)
    const summary = { recap: 'Agreed.', keyPoints: [], nextSteps: [] }
    const save = (generation: object) =>
      control(host, `POST ${root}/calls/c1/summary`, { ...summary, ...generation })

    expect((await save({ generatedBy: 'automatic' })).body.message).toMatch(/automatic/i)
    expect((await save({})).body).toMatchObject({ outcome: 'first', summary })
  })

  test('responds 404 to every request about an organization that does not exist', async () => {
    const host = await open()
    for (const request of [
      ...['groups', 'calls', 'events', 'deliveries', 'subscriptions', 'api-keys'].map(
        (list) => `GET /${list}`,
      ),
      'POST /deliveries/resend',
      'POST /deliveries/cancel',
      'POST /erasures',
    ]) {
      const [method, list] = request.split(' ')
      const body = method === 'GET' ? undefined : {}
      const { status, body: error } = await control(host, `${method} /organizations/amce${list}`, body)
      expect([request, status, error.message]).toEqual([request, 404, 'There is no organization "amce".'])
    }
  })

  test.each(['a\nb', '..', '.', 'a/b', '%2e'])(
    'finds the group %j, which the public API allows',
    async (groupId) => {
      const host = await open()
      expect((await host.createGroup({ groupId })).status).toBe(200)
      const group = encodeURIComponent(groupId)
      for (const list of ['groups', 'events']) {
        expect((await control(host, `GET ${root}/${list}?group=${group}`)).body.items).toHaveLength(1)
      }
      expect((await control(host, `GET ${root}/timeline?group=${group}`)).body.group.groupId).toBe(groupId)
      expect((await control(host, `GET /requests?group=${group}`)).body.items).toHaveLength(1)
      expect((await control(host, `GET ${root}/groups?group=other`)).body.items).toEqual([])
    },
  )

  test("hides the id of a call that another process erased, and not that of another organization's call", async () => {
    const other = {
      ...{ id: 'other', pstnNumbers: ['+15550200002'], integrations: [] },
      apiKeys: [{ key: 'wk_other_key_0123456789' }],
    }
    const host = await open()
    await host.service.organizations.create(other)
    for (const [id, key] of [
      [organizationId, host.key],
      ['other', 'wk_other_key_0123456789'],
    ] as const) {
      await control(host, `POST /organizations/${id}/simulated-calls`, { callId: 'of-ana' })
      const headers = { authorization: key }
      expect((await fetch(`${host.url}/v1/call/ai-summary?callId=of-ana`, { headers })).status).toBe(200)
    }
    await host.service.erasures.erase(organizationId, { callId: 'of-ana' })

    const { items } = (await control(host, 'GET /requests')).body
    expect(items).toMatchObject([
      { organizationId: 'other', callId: 'of-ana' },
      { organizationId, callId: null },
    ])
    const [theirs, erased] = await Promise.all(
      items.map(
        async ({ requestId }: { requestId: string }) =>
          (await control(host, `GET /requests/${requestId}`)).body,
      ),
    )
    const sender = { address: '127.0.0.1', userAgent: expect.any(String), query: 'callId=***' }
    expect(theirs).toMatchObject({
      ...sender,
      callId: 'of-ana',
      responseBody: expect.stringContaining('of-ana'),
    })
    const nothing = { address: null, userAgent: null, query: null, requestBody: null, responseBody: null }
    expect(erased).toMatchObject({ ...nothing, callId: null })
    // What was erased does not find the request either.
    const found = (await control(host, 'GET /requests?text=of-ana')).body.items
    expect(found).toMatchObject([{ organizationId: 'other' }])
    expect((await control(host, `GET ${root}/search?text=of-ana`)).body.items).toEqual([])
  })

  test('removes the id of a call from a request that was answered while the call was being erased', async () => {
    const host = await open()
    await control(host, `POST ${root}/simulated-calls`, { callId: 'c1' })
    const fetchSummary = () =>
      fetch(`${host.url}/v1/call/ai-summary?callId=c1`, { headers: { authorization: host.key } })
    const { erase } = host.service.erasures
    using _erase = vi.spyOn(host.service.erasures, 'erase').mockImplementation(async (...erasure) => {
      const erased = await erase(...erasure)
      expect((await fetchSummary()).status).toBe(404)
      return erased
    })
    await control(host, `POST ${root}/erasures`, { callId: 'c1' })
    const { items } = (await control(host, 'GET /requests')).body
    expect(items).toMatchObject([{ status: 404, callId: null }])
  })

  test('shows nothing of an organization that was removed, also by another process', async () => {
    const host = await open()
    for (const id of ['here', 'there']) {
      const key = `wk_${id}_key_0123456789`
      await host.service.organizations.create({ id, apiKeys: [{ key }] })
      await host.createGroup({ groupId: `of-${id}` }, { authorization: key })
    }
    const { items } = (await control(host, 'GET /requests')).body
    expect(items.map((each: { organizationId: string }) => each.organizationId)).toEqual(['there', 'here'])
    await control(host, 'DELETE /organizations/here')
    await host.service.organizations.remove('there')
    expect((await control(host, 'GET /requests')).body.items).toEqual([])
    for (const { requestId } of items)
      expect((await control(host, `GET /requests/${requestId}`)).status).toBe(404)
  })

  test('shows no requests of an organization whose id was used again after another process removed it', async () => {
    const host = await open()
    const key = 'wk_again_key_0123456789'
    const input = { id: 'again', apiKeys: [{ key }], integrations: [{ wabaNumber: host.wabaNumber }] }
    const ids: string[] = []
    for (const subject of ['before', 'after']) {
      await host.service.organizations.create(input)
      const group = await host.createGroup({ groupId: 'same', subject }, { authorization: key })
      ids.push(group.headers.get('x-request-id') ?? '')
      if (subject === 'before') await host.service.organizations.remove('again')
      await nextMillisecond(host)
    }
    const { entries } = (await control(host, 'GET /organizations/again/timeline?group=same')).body
    const requests = entries.filter(({ kind }: { kind: string }) => kind === 'request')
    expect(requests).toMatchObject([{ request: { requestId: ids[1] } }])
    expect((await control(host, `GET /requests/${ids[0]}`)).status).toBe(404)
    expect((await control(host, 'GET /requests')).body.items).toMatchObject([{ requestId: ids[1] }])
  })

  test('a page has 100 records by default, and at most 1,000', async () => {
    const host = await open()
    const { groups, participants, calls, subscriptions, events, deliveries, organizations } = host.service
    const subscription = { channel: 'WHATSAPP', number: host.wabaNumber, url: 'http://127.0.0.1:9/' } as const
    const call = { channel: 'PSTN', direction: 'INCOMING', channelNumber: host.pstnNumber } as const
    await subscriptions.create(organizationId, { ...subscription, enabled: false })
    await groups.create(organizationId, { wabaNumber: host.wabaNumber, subject: 'Team', groupId: 'g' })
    for (let index = 0; index < 100; index++) {
      await groups.create(organizationId, { wabaNumber: host.wabaNumber, subject: 'Team' })
      await participants.join(organizationId, { groupId: 'g', phone: `+1555019${9_000 + index}` })
      await calls.start(organizationId, { ...call, customerNumber: '+15550199001' })
      await subscriptions.create(organizationId, { ...subscription, events: ['CALL_ENDED'] })
      await organizations.create({ id: `o${index}` })
      await host.service.fetch(new Request('http://localhost/'))
    }
    await participants.join(organizationId, { groupId: 'g', phone: '+15550198001' })
    await calls.start(organizationId, { ...call, customerNumber: '+15550199001' })
    await host.service.fetch(new Request('http://localhost/'))

    const lists = ['groups', 'participants?group=g', 'calls', 'subscriptions', 'events', 'deliveries']
    const paths = [...lists.map((list) => `${root}/${list}`), '/organizations', '/requests']
    for (const each of paths) {
      const { items, nextCursor } = (await control(host, `GET ${each}`)).body
      expect([each, items.length, typeof nextCursor]).toEqual([each, 100, 'string'])
      const gap = each.includes('?') ? '&' : '?'
      expect((await control(host, `GET ${each}${gap}limit=1000`)).body.items.length).toBeGreaterThan(100)
      expect((await control(host, `GET ${each}${gap}limit=1001`)).status).toBe(400)
    }
    const all = [groups, calls, subscriptions, events, deliveries].map((each) => each.list(organizationId))
    const pages = await Promise.all([...all, organizations.list()])
    expect(pages.map(({ items }) => items.length)).toEqual(Array(6).fill(100))
  })

  test.each([
    ['/organizations?', false],
    ['/requests?', false],
    [`${root}/subscriptions?`, false],
    [`${root}/groups?`, false],
    [`${root}/participants?group=g1&`, false],
    [`${root}/calls?`, false],
    // What happens later is after the cursor of the last page.
    [`${root}/events?`, true],
    [`${root}/events?order=newest_first&`, false],
    [`${root}/deliveries?`, true],
    [`${root}/deliveries?order=newest_first&`, false],
  ])(
    'every page of %s is full, and only a list that can be followed has a cursor at its end: %s',
    async (list, isFollowed) => {
      const host = await open()
      for (const [index, groupId] of ['g1', 'g2', 'g3'].entries()) {
        await host.createGroup({ groupId })
        await host.service.participants.join(organizationId, { groupId: 'g1', phone: `+1555019900${index}` })
        await control(host, `POST ${root}/simulated-calls`, { outcome: 'missed' })
        await host.service.organizations.create({ id: groupId })
        await host.subscribe('http://127.0.0.1:1/')
      }
      const { items } = (await control(host, `GET ${list}`)).body
      expect(items.length).toBeGreaterThanOrEqual(3)
      const readKey = ({ id, groupId, callId, phone, requestId }: Record<string, unknown>) =>
        requestId ?? id ?? phone ?? groupId ?? callId
      const found: unknown[] = []
      let cursor = ''
      for (const index of items.keys()) {
        const { body } = await control(host, `GET ${list}limit=1${cursor}`)
        found.push(...body.items.map(readKey))
        const isLast = index === items.length - 1
        expect([index, body.items.length, 'nextCursor' in body]).toEqual([index, 1, !isLast || isFollowed])
        cursor = `&cursor=${body.nextCursor}`
      }
      expect(found).toEqual(items.map(readKey))
    },
  )

  test('continues a change of many deliveries at the cursor of the previous part', async () => {
    const host = await open()
    // Nothing listens there, so that each delivery waits for its second attempt.
    await host.subscribe('http://127.0.0.1:1/')
    for (const groupId of ['g1', 'g2', 'g3']) await host.createGroup({ groupId })
    await host.service.dispatcher.runDue()
    const { nextCursor: cursor } = (await control(host, `GET ${root}/deliveries?limit=1&order=newest_first`))
      .body
    const selection = { all: true, dryRun: true }
    for (const [change, count] of [
      ['resend', 'resent'],
      ['cancel', 'canceled'],
    ] as const) {
      const whole = await control(host, `POST ${root}/deliveries/${change}`, selection)
      const rest = await control(host, `POST ${root}/deliveries/${change}`, { ...selection, cursor })
      expect([whole.body, rest.body]).toEqual([{ [count]: 3 }, { [count]: 2 }])
    }
  })

  test('lists requests to the public API without their keys, including those without a valid key', async () => {
    const host = await open()
    await host.createGroup({ groupId: 'a' })
    await host.createGroup({ groupId: 'a' })
    await host.createGroup({ groupId: 'a', subject: 'Another' })
    await host.createGroup({ groupId: 'b' }, { authorization: 'wk_test_of_somebody_else' })
    await fetch(`${host.url}/v1/call/ai-summary?callId=unknown`, {
      headers: { authorization: host.key },
    })

    const { body } = await control(host, 'GET /requests')
    const [summary, stranger, conflict, repeated, created] = body.items
    expect(created).toMatchObject({
      method: 'POST',
      endpoint: 'groups.create',
      status: 200,
      code: null,
      organizationId,
      groupId: 'a',
      callId: null,
      repeated: false,
    })
    expect(created.requestId).toMatch(/^req_/)
    expect(repeated).toMatchObject({ status: 200, groupId: 'a', repeated: true })
    expect(conflict).toMatchObject({ status: 422, code: 'group_id_conflict', groupId: 'a' })
    expect(stranger).toMatchObject({
      status: 401,
      code: 'invalid_api_key',
      organizationId: null,
      keyId: null,
      ...{ keyFault: 'unknown', keyFingerprint: expect.stringMatching(/^[0-9a-f]{8}$/) },
      ...{ address: '127.0.0.1', userAgent: 'node' },
    })
    expect(summary).toMatchObject({ status: 404, code: 'summary_not_found', callId: 'unknown' })
    expect(JSON.stringify(body)).not.toMatch(/wk_test|somebody/)

    const find = async (query: string) => (await control(host, `GET /requests?${query}`)).body.items
    expect(await find(`organization=${organizationId}&status=422`)).toEqual([conflict])
    expect(await find('call=unknown')).toEqual([summary])
    expect(await find(`text=${created.requestId}`)).toEqual([created])
    expect(await find('text=post+/whatsapp/wa-group/create+401')).toEqual([stranger])
    for (const text of [stranger.keyFingerprint, stranger.code])
      expect(await find(`text=${text}`)).toEqual([stranger])
    for (const text of ['127.0.0.1', 'NODE']) expect(await find(`text=${text}`)).toHaveLength(5)
    expect(await find('code=invalid_api_key')).toEqual([stranger])
    expect(await find('before=2020-01-01T00:00:00Z')).toEqual([])
  })

  test('each filter of requests selects by its own condition', async () => {
    const other = { id: 'other', apiKeys: [{ key: 'wk_other_key_0123456789' }] }
    const host = await open()
    await host.service.organizations.create(other)
    await host.createGroup({ groupId: 'g1' })
    await nextMillisecond(host)
    const headers = { authorization: 'wk_other_key_0123456789' }
    await fetch(`${host.url}/v1/call/ai-summary?callId=c1`, { headers })
    const [second, first] = (await control(host, 'GET /requests')).body.items
    // The server's own time, because its clock may be a millisecond behind that of the machine.
    const between = second.at
    /** Values that select only the first request, and only the second. */
    const filters: Readonly<Record<string, readonly [string | undefined, string | undefined]>> = {
      organization: [organizationId, 'other'],
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
        const { body } = await control(host, `GET /requests?${new URLSearchParams({ [name]: value })}`)
        expect(body, name).toEqual({ items: [index === 0 ? first : second] })
      }
    }
  })

  test.each([{ callId: 'call_15550109999' }, { customerNumber: '+1 555 010-9999' }])(
    'removes the id of an erased call from requests that got 404, too: %j',
    async (selection) => {
      const host = await open()
      const callId = 'call_15550109999'
      await host.service.organizations.update(organizationId, { callSummaries: 'manual' })
      const fetchSummary = () =>
        fetch(`${host.url}/v1/call/ai-summary?callId=${callId}`, {
          headers: { authorization: host.key },
        })
      const channelNumber = host.pstnNumber
      const call = { callId, customerNumber: '+15550109999', channel: 'PSTN', direction: 'INCOMING' } as const
      await host.service.calls.start(organizationId, {
        ...call,
        channelNumber,
        callType: 'AGENT',
        agentNumber: '+15550100003',
      })
      await host.service.calls.accept(organizationId, callId)
      await host.service.calls.end(organizationId, callId)
      // The first page of the customer's calls does not contain the oldest one.
      for (let later = 0; later < 100; later++)
        await host.service.calls.start(organizationId, { ...call, channelNumber, callId: `later_${later}` })
      expect((await fetchSummary()).status).toBe(404)
      expect((await control(host, `GET /requests?call=${callId}`)).body.items).toHaveLength(1)

      await control(host, `POST ${root}/erasures`, { ...selection, dryRun: true })
      expect((await control(host, `GET /requests?call=${callId}`)).body.items).toHaveLength(1)
      await control(host, `POST ${root}/erasures`, selection)
      expect((await control(host, `GET /requests?call=${callId}`)).body.items).toEqual([])
      expect(JSON.stringify((await control(host, 'GET /requests')).body)).not.toContain('15550109999')
    },
  )
})

// What a mock can do is in the test of its document.
test('describes the server', async () => {
  const { body } = await control(await hosts[0].open(), 'GET /info')
  expect(body).toEqual({ version: '0.0.0', database: 'memory', role: 'all', can: [] })
})
