import { describe, expect, test } from 'vitest'
import { control, listenForWebhooks } from './fixture.ts'
import { hosts } from './hosts.ts'

describe.each(hosts)('$name', ({ organizationId, root, open }) => {
  test('creates, shows, changes, lists and removes organizations', async () => {
    const host = await open()

    const made = await control(host, 'POST /organizations', {
      id: 'other',
      integrations: [{ wabaNumber: '+1 555 020 0001', enabled: false }],
      pstnNumbers: ['+15550200002'],
      callSummaries: 'manual',
    })
    const changed = await control(host, 'PATCH /organizations/other', { pstnNumbers: [] })
    const listed = await control(host, 'GET /organizations')
    const removed = await control(host, 'DELETE /organizations/other')
    const gone = await control(host, 'GET /organizations/other')

    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: 'other',
      callSummaries: 'manual',
      integrations: [{ wabaNumber: '+1 555 020 0001', enabled: false, joinApprovalMode: 'auto_approve' }],
      pstnNumbers: ['+15550200002'],
      createdAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    })
    expect(changed.body).toEqual({ ...made.body, pstnNumbers: [] })
    expect(listed.body.items.map(({ id }: { id: string }) => id)).toEqual([organizationId, 'other'])
    expect(removed).toMatchObject({ status: 204, body: undefined })
    expect(gone).toMatchObject({ status: 404, body: { code: 'not_found', error: 'Not Found' } })
  })

  test('keeps all numbers that are added at the same time, and removes the one of the channel', async () => {
    const host = await open()
    const path = `${root}/numbers`
    const before = (await control(host, `GET ${path}`)).body.items

    const added = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        control(host, `POST ${path}`, { channel: 'PSTN', number: `+1 555 030 000${index}` }),
      ),
    )
    const twin = await control(host, `POST ${path}`, { channel: 'WHATSAPP', number: '+15550300000' })
    const repeated = await control(host, `POST ${path}`, { channel: 'PSTN', number: '15550300001' })
    const removed = await control(host, `DELETE ${path}/PSTN/15550300000`)
    const gone = await control(host, `GET ${path}/PSTN/15550300000`)
    const changed = await control(host, `PATCH ${path}/WHATSAPP/15550300000`, { enabled: false })

    expect(added.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
    expect(twin.body).toEqual({
      channel: 'WHATSAPP',
      number: '+15550300000',
      enabled: true,
      joinApprovalMode: 'auto_approve',
    })
    expect(repeated).toMatchObject({ status: 409, body: { code: 'exists' } })
    expect([removed.status, gone.status]).toEqual([204, 404])
    expect(changed.body).toEqual({ ...twin.body, enabled: false })
    expect((await control(host, `GET ${path}`)).body.items).toHaveLength(before.length + 5)
  })

  test('changes the given settings of one number, and no others', async () => {
    const host = await open()
    const path = `${root}/numbers`
    const added = { channel: 'WHATSAPP', number: '+15550100003', enabled: false }
    const { body: second } = await control(host, `POST ${path}`, added)
    const { items } = (await control(host, `GET ${path}`)).body

    const change = { joinApprovalMode: 'approval_required' }
    const changed = await control(host, `PATCH ${path}/WHATSAPP/15550100003`, change)

    expect(changed.body).toEqual({ ...second, ...change })
    const others = items.filter(({ number }: { number: string }) => number !== added.number)
    expect((await control(host, `GET ${path}`)).body.items).toEqual(
      expect.arrayContaining([changed.body, ...others]),
    )
  })

  test('creates and removes keys with immediate effect', async () => {
    const host = await open()

    const made = await control(host, `POST ${root}/api-keys`, { label: 'ci' })
    const works = await host.createGroup({}, { authorization: made.body.key })
    const listed = await control(host, `GET ${root}/api-keys`)
    await control(host, `DELETE ${root}/api-keys/${made.body.id}`)
    const worksNoMore = await host.createGroup({}, { authorization: made.body.key })

    expect(works.status).toBe(200)
    expect(listed.body.items.at(-1)).toMatchObject({ id: made.body.id, label: 'ci', wabaNumbers: 'all' })
    expect(JSON.stringify(listed.body)).not.toContain(made.body.key)
    expect(worksNoMore.status).toBe(401)
  })

  test('creates, changes, disables and removes a subscription, and rotates its secret', async () => {
    const host = await open()
    const path = `${root}/subscriptions`

    const made = await host.subscribe('http://127.0.0.1:9/hooks', { events: ['GROUP_CREATED'] })
    const one = `${path}/${made.body.id}`
    const changed = await control(host, `PATCH ${one}`, { url: 'https://example.com/hooks', enabled: false })
    const rotated = await control(host, `POST ${one}/rotate-secret`, { overlapMs: 1_000 })
    const listed = await control(host, `GET ${path}`)
    const removed = await control(host, `DELETE ${one}`)

    expect(made).toMatchObject({
      status: 201,
      body: { secret: expect.stringMatching(/^whsec_/), enabled: true },
    })
    expect(changed.body).toMatchObject({
      url: 'https://example.com/hooks',
      enabled: false,
      disabledReason: 'by_hand',
    })
    expect(rotated.body.secret).not.toBe(made.body.secret)
    expect(rotated.body.previousSecretExpiresAt).toMatch(/Z$/)
    expect(listed.body.items).toHaveLength(1)
    expect(JSON.stringify(listed.body)).not.toContain('whsec_')
    expect(removed.status).toBe(204)
  })

  test('sends the headers of a subscription, and shows only their names', async () => {
    const host = await open()
    const endpoint = await listenForWebhooks()
    const authorization = { username: 'wabakit', password: 's3cret' }

    const made = await host.subscribe(endpoint.url, { headers: { 'X-Token': 's3cret' }, authorization })
    const one = `${root}/subscriptions/${made.body.id}`
    await host.createGroup()
    await endpoint.arrived(1)
    const shown = await control(host, `GET ${one}`)
    const changed = await control(host, `PATCH ${one}`, { authorization: null })
    const refused = await control(host, `PATCH ${one}`, { headers: { 'Content-Length': 's3cret' } })

    expect(endpoint.arrivals[0]?.headers).toMatchObject({
      'x-token': 's3cret',
      authorization: `Basic ${btoa('wabakit:s3cret')}`,
      'webhook-signature': expect.stringMatching(/^v1,/),
    })
    expect(shown.body.headerNames).toEqual(['authorization', 'x-token'])
    expect(changed.body.headerNames).toEqual(['x-token'])
    expect(refused).toMatchObject({ status: 400, body: { issues: [{ path: 'headers.Content-Length' }] } })
    expect(JSON.stringify([made, shown, changed, refused])).not.toContain('s3cret')
  })

  test('shows a deferred attempt as deferred', async () => {
    const host = await open()
    const endpoint = await listenForWebhooks(() => 409, { 'retry-after': '600' })
    await host.subscribe(endpoint.url)
    await host.createGroup({ groupId: 'a' })
    await host.service.dispatcher.runDue()
    const path = `${root}/deliveries`

    const [delivery] = (await control(host, `GET ${path}`)).body.items
    const one = await control(host, `GET ${path}/${delivery.id}`)
    const timeline = await control(host, `GET ${root}/timeline?group=a`)
    const attempts = await control(host, `GET ${path}/${delivery.id}/attempts`)

    expect(delivery).toMatchObject({ status: 'pending', attempts: 1, failures: 0, deferrals: 1 })
    expect(attempts.body.items).toMatchObject([{ status: 409, succeeded: false, deferred: true }])
    for (const shown of [one.body, ...timeline.body.deliveries]) {
      expect(shown).toMatchObject({ id: delivery.id, wait: { reason: 'deferred' } })
    }
    expect(timeline.body.deliveries).toHaveLength(1)
  })

  test('moves a call step by step, and refuses an unknown step', async () => {
    const host = await open()
    const { body: call } = await control(host, `POST ${root}/calls`, {
      callId: 'call/1',
      channel: 'WHATSAPP',
      direction: 'OUTGOING',
      channelNumber: host.wabaNumber,
      customerNumber: '+15550199000',
    })
    const path = `${root}/calls/call%2F1`

    const early = await control(host, `POST ${path}/steps`, { step: 'end' })
    await control(host, `POST ${path}/steps`, {
      step: 'accept',
      agentNumber: '+15550199999',
      startedAt: '2025-01-01T10:00:00Z',
    })
    const ended = await control(host, `POST ${path}/steps`, { step: 'end', durationInSeconds: 5 })
    const summary = { recap: 'a', keyPoints: [], nextSteps: [] }
    const first = await control(host, `POST ${path}/summary`, summary)
    const second = await control(host, `POST ${path}/summary`, { ...summary, recap: 'b' })

    expect(call).toMatchObject({ callId: 'call/1', state: 'initiated' })
    expect(early).toMatchObject({ status: 409, body: { code: 'illegal_transition' } })
    expect(ended.body).toMatchObject({ state: 'ended', agentNumber: '+15550199999', durationInSeconds: 5 })
    expect(ended.body).toMatchObject({ endedAt: '2025-01-01T10:00:05.000Z' })
    expect([first.body.outcome, second.body.outcome]).toEqual(['first', 'replaced'])
  })

  test('lets participants join and leave', async () => {
    const host = await open()
    await host.createGroup({ subject: 'Team', groupId: 'team-1' })
    const step = (state: string) =>
      control(host, `POST ${root}/participants`, {
        groupId: 'team-1',
        phone: '+15550199000',
        state,
      })

    const shown = await control(host, `GET ${root}/groups/team-1`)

    expect(shown.body).toMatchObject({ subject: 'Team', joinApprovalMode: 'auto_approve', description: null })
    expect((await step('joined')).body).toMatchObject({ state: 'joined' })
    expect((await step('left')).body).toMatchObject({ state: 'left' })
    expect((await step('removed')).status).toBe(409)
  })

  /** More brackets inside each other than JSON.stringify can write. */
  const deep = `${'{"0":'.repeat(5_000)}1${'}'.repeat(5_000)}`

  test.each([
    ['of a few fields', ''],
    ['with thousands of brackets', `,"x":${deep}`],
  ])('publishes any event %s, and delivers it byte for byte', async (_, more) => {
    const host = await open()
    const endpoint = await listenForWebhooks()
    await host.subscribe(endpoint.url)

    const payload = `{"event":"CALL_MISSED","callId":"c1"${more}}`
    const published = await control(
      host,
      `POST ${root}/events`,
      `{"name":"CALL_MISSED","subject":"call:c1","channel":"WHATSAPP","number":"${host.wabaNumber}","payload":${payload}}`,
    )
    expect(published.status).toBe(201)
    await endpoint.arrived(1)
    expect([published.body.payload, endpoint.arrivals[0]?.body]).toEqual([payload, payload])
  })

  test('lists deliveries with their attempts, and resends them with the same id or a new one', async () => {
    const host = await open()
    const endpoint = await listenForWebhooks()
    const { body: subscription } = await host.subscribe(endpoint.url)
    await host.createGroup({ groupId: 'a' })
    await endpoint.arrived(1)
    await host.service.dispatcher.runDue()
    const path = `${root}/deliveries`

    const listed = await control(host, `GET ${path}?status=delivered&subscription=${subscription.id}`)
    const [delivery] = listed.body.items
    const attempts = await control(host, `GET ${path}/${delivery.id}/attempts`)
    const again = await control(host, `POST ${path}/${delivery.id}/resend`, {})
    await endpoint.arrived(2)
    await host.service.dispatcher.runDue()
    const range = await control(host, `POST ${path}/resend`, {
      from: '2020-01-01T00:00:00Z',
      status: 'delivered',
      newWebhookId: true,
    })
    await endpoint.arrived(3)

    expect(delivery).toMatchObject({ status: 'delivered', eventName: 'GROUP_CREATED', attempts: 1 })
    expect(attempts.body.items).toEqual([
      expect.objectContaining({ number: 1, status: 200, succeeded: true, url: endpoint.url }),
    ])
    expect([again.body, range.body]).toEqual([{ resent: 1 }, { resent: 1 }])
    const [first, second, third] = endpoint.arrivals.map(({ headers }) => headers['webhook-id'])
    expect(second).toBe(first)
    expect(third).not.toBe(first)
  })

  test.each([
    ['a field that is not there', 'POST /organizations', { id: 'x', nmae: 1 }, 400, 'invalid_input'],
    ['a value that cannot be', 'POST /organizations', { id: 7 }, 400, 'invalid_input'],
    ['a limit out of bounds', 'GET /organizations?limit=0', undefined, 400, 'invalid_input'],
    ['an id in use', 'POST /organizations', { id: organizationId }, 409, 'exists'],
    ['broken JSON', 'POST /organizations', '{"id":', 400, 'malformed_json'],
    ['a body too large', 'POST /organizations', `"${'x'.repeat(1_100_000)}"`, 413, 'body_too_large'],
    ['an unknown path', 'GET /nothing', undefined, 404, 'not_found'],
    ['an unknown organization', 'POST /organizations/nobody/simulated-calls', {}, 404, 'not_found'],
    [
      'a summary for a call that cannot have one',
      `POST ${root}/simulated-calls`,
      { outcome: 'missed', summary: {} },
      400,
      'invalid_input',
    ],
    [
      'a summary after more than a day',
      `POST ${root}/simulated-calls`,
      { summary: { after: '25h' } },
      400,
      'invalid_input',
    ],
    [
      'a call whose direction contradicts what started it',
      `POST ${root}/simulated-calls`,
      { direction: 'OUTGOING', triggeredVia: 'INBOUND' },
      400,
      'invalid_input',
    ],
  ])('refuses %s', async (_what, request, body, status, code) => {
    const host = await open()

    expect(await control(host, request, body)).toMatchObject({ status, body: { statusCode: status, code } })
  })

  test('accepts only JSON bodies, because pages of other sites can send other types without a preflight', async () => {
    const host = await open()

    const { status, body } = await control(host, 'POST /organizations', '{"id":"x"}', {
      'content-type': 'text/plain',
    })

    expect({ status, code: body.code }).toEqual({ status: 415, code: 'unsupported_media_type' })
  })
})

// A mock saves a later summary when its clock is advanced.
test('a server saves a delayed summary after its delay', async () => {
  const [{ root, open }] = hosts
  const host = await open()
  const summarized = Promise.withResolvers<string>()
  host.service.on('CALL_AI_SUMMARY', ({ callId }) => summarized.resolve(callId))
  const simulate = (after: number | string) =>
    control(host, `POST ${root}/simulated-calls`, { summary: { recap: 'Short.', after } })

  await simulate('1h')
  const { body: soon } = await simulate(1)

  expect(await summarized.promise).toBe(soon.callId)
})
