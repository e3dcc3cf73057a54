import { expect, test } from 'vitest'
import { control, createGroup, listenForWebhooks, start } from './fixture.ts'
import { openStream } from './open-stream.ts'

test('streams events and attempts, each event before its attempts', async () => {
  const server = await start()
  const endpoint = await listenForWebhooks()
  const subscription = await control(server, 'POST /organizations/acme/subscriptions', {
    channel: 'WHATSAPP',
    number: '+15550100001',
    url: endpoint.url,
  })
  const stream = await openStream(server)

  await createGroup(server.url, { groupId: 'a' })

  const event = await stream.next()
  const attempt = await stream.next()
  const [delivery] = (await control(server, 'GET /organizations/acme/deliveries')).body.items
  expect(stream.response.headers.get('content-type')).toBe('text/event-stream')
  const { endpoints, ...stored } = (await control(server, `GET /organizations/acme/events/${event?.id}`)).body
  expect(endpoints).toMatchObject([{ url: endpoint.url }])
  expect(event).toMatchObject({ event: 'event', data: stored })
  expect(attempt).toMatchObject({ event: 'attempt', id: undefined })
  expect(attempt?.data).toEqual({
    ...{ deliveryId: delivery.id, eventId: event?.id, eventName: 'GROUP_CREATED', subject: 'group:a' },
    ...{ subscriptionId: subscription.body.id, url: endpoint.url, number: 1, outcome: 'delivered' },
    ...{ status: 200, error: null, response: null },
    ...{ durationMs: expect.any(Number), startedAt: expect.stringMatching(/^\d{4}-.*Z$/) },
  })
})

test('starts with new events', async () => {
  const server = await start()
  await createGroup(server.url, { groupId: 'before' })
  const stream = await openStream(server)

  await createGroup(server.url, { groupId: 'after' })

  expect(await stream.next()).toMatchObject({ data: { subject: 'group:after' } })
})

test('resumes after the last seen event, without gaps or repetitions', async () => {
  const server = await start()
  const stream = await openStream(server)
  await createGroup(server.url, { groupId: 'seen' })
  const seen = await stream.next()
  stream.close()
  const missed = Array.from({ length: 250 }, (_, index) => `missed-${index}`)
  for (const groupId of missed) await createGroup(server.url, { groupId })

  const again = await openStream(server, '', { 'last-event-id': seen?.id ?? '' })

  for (const groupId of missed) {
    expect(await again.next()).toMatchObject({ data: { subject: `group:${groupId}` } })
  }
})

test('starts with the oldest event if requested', async () => {
  const server = await start()
  await createGroup(server.url, { groupId: 'first' })

  expect(await (await openStream(server, '?after=')).next()).toMatchObject({
    data: { subject: 'group:first' },
  })
})

test('reveals nothing about other organizations', async () => {
  const server = await start()
  await server.service.organizations.create({
    id: 'other',
    integrations: [{ wabaNumber: '+15550200001' }],
  })
  const stream = await openStream(server)

  await server.service.groups.create('other', { wabaNumber: '+15550200001', subject: 'Theirs' })
  await createGroup(server.url, { groupId: 'ours' })

  expect(await stream.next()).toMatchObject({ data: { subject: 'group:ours' } })
})

test('refuses an unknown organization', async () => {
  const server = await start()

  expect((await control(server, 'GET /organizations/nobody/stream')).status).toBe(404)
})
