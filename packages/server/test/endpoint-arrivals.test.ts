import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { acme, control, createGroup, listenForWebhooks, start } from './fixture.ts'
import { listenOnFreePort } from './listen-on-free-port.ts'

const path = '/organizations/acme'
const clock = /at \d\d:\d\d:\d\d UTC$/

type Endpoints = {
  /** The events of each endpoint. @default 'all' */
  readonly events?: readonly (readonly string[] | 'all')[]
  /** The only event that gets the status. @default all */
  readonly fails?: string
}

/** Starts a server with an endpoint for each status, with which it responds to events. */
const open = async (statuses: readonly number[], { events = [], fails = '' }: Endpoints = {}) => {
  const server = await start()
  const urls: string[] = []
  for (const [index, status] of statuses.entries()) {
    const { url } = await listenForWebhooks(({ body }) => (body.includes(fails) ? status : 200))
    const target = { channel: 'PSTN', number: acme.pstnNumbers[0], url, events: events[index] ?? 'all' }
    await control(server, `POST ${path}/subscriptions`, target)
    urls.push(url)
  }
  const simulate = async (callId: string) => {
    await control(server, `POST ${path}/simulated-calls`, { callId, customerNumber: '+15550199001' })
    await server.service.dispatcher.runDue()
  }
  const read = async (about: string) => (await control(server, `GET ${path}/${about}`)).body
  return { server, urls, simulate, read }
}

type Listed = { id: string; eventName: string; subscriptionId: string }

test('a line per endpoint says whether a call arrived there, and else which event failed, how and how often', async () => {
  const { server, urls, simulate, read } = await open([200, 500])
  await simulate('c1')
  const [, failing] = (await read('timeline?call=c1')).endpoints
  await control(server, `POST ${path}/deliveries/${failing.deliveryId}/retry`, {})
  await server.service.dispatcher.runDue()

  const { endpoints, deliveries, summaryStatus } = await read('timeline?call=c1')

  const first = deliveries.find(({ subscriptionId }: Listed) => subscriptionId === failing.subscriptionId)
  expect(endpoints).toMatchObject([
    { url: urls[0], state: 'delivered', missing: 0, at: expect.any(String) },
    { url: urls[1], state: 'not_delivered', deliveryId: first.id, eventName: 'CALL_INCOMING_INITIATED' },
  ])
  expect(endpoints[0].text).toMatch(/^delivered at \d\d:\d\d:\d\d UTC$/)
  expect(endpoints[1].text).toMatch(
    /^not delivered: CALL_AI_SUMMARY waits for CALL_INCOMING_INITIATED, which got 500 (?:twice|in \d attempts) \(the endpoint failed while it handled the webhook\), (?:next attempt|and) /,
  )
  expect(endpoints[1].missing).toBe(endpoints[1].events)

  // The summary's own line names what holds it back, and its sentence covers both endpoints.
  expect(summaryStatus).toMatchObject({ state: 'blocked', deliveryId: first.id })
  expect(summaryStatus.endpoints).toMatchObject([{ state: 'delivered' }, { deliveryId: first.id }])
  const [delivered, missing] = urls.map((url) => new URL(url)).map(({ host, pathname }) => host + pathname)
  expect(summaryStatus.text).toContain('The summary has arrived at 1 of 2 endpoints.')
  expect(summaryStatus.text).toContain(
    `${missing} not delivered: CALL_AI_SUMMARY waits for CALL_INCOMING_INITIATED, which got 500`,
  )
  expect(summaryStatus.text).not.toContain(delivered)

  // So does the list of calls, for the summary.
  const summary = { summaryArrival: 'not_delivered', summaryEndpoints: 2, summaryMissing: 1 }
  expect((await read('calls')).items).toMatchObject([summary])
  expect(await read('calls/c1')).toMatchObject(summary)

  // The customer's page answers the same question for each call.
  const { calls } = await read('customers/+15550199001')
  expect(calls).toMatchObject([{ ...summary, endpoints }])

  // It counts all attempts, as the delivery does, although the schedule starts anew after a resend.
  await control(server, `POST ${path}/deliveries/${failing.deliveryId}/resend`, {})
  await server.service.dispatcher.runDue()
  const readDelivery = () => read(`deliveries/${failing.deliveryId}`)
  await expect.poll(async () => (await readDelivery()).failures).toBeGreaterThan(0)
  const { attempts, failures } = await readDelivery()
  expect(attempts).toBeGreaterThan(failures)
  const [, resent] = (await read('timeline?call=c1')).endpoints
  expect(resent.text).toContain(`got 500 in ${attempts} attempts`)
})

test('an event has a line per endpoint, which names an earlier event that holds it back', async () => {
  const { urls, simulate, read } = await open([200, 500], { fails: 'CALL_INCOMING_INITIATED' })
  await simulate('c1')
  const readEndpoints = async (name: string) => {
    const [{ id }] = (await read(`events?call=c1&name=${name}`)).items
    return (await read(`events/${id}`)).endpoints
  }
  const failing = { url: urls[1], state: 'not_delivered', eventName: 'CALL_INCOMING_INITIATED' }
  for (const name of ['CALL_INCOMING_INITIATED', 'CALL_ENDED'])
    expect(await readEndpoints(name), name).toMatchObject([
      { url: urls[0], state: 'delivered', events: 1 },
      { ...failing, events: 1, missing: 1 },
    ])
})

test('the list of calls has what became of each summary, and nothing for a call without one', async () => {
  const { server, simulate, read } = await open([200])
  await simulate('arrived')
  await control(server, `POST ${path}/simulated-calls`, { callId: 'missed', outcome: 'missed' })
  await control(server, `POST ${path}/simulated-calls`, { callId: 'without', summary: false })
  const list = async () =>
    Object.fromEntries(
      (await read('calls')).items.map((call: Record<string, unknown>) => [call.callId, call.summaryArrival]),
    )
  await expect.poll(list).toEqual({ arrived: 'delivered', missed: null, without: null })

  const [{ id }] = (await read('subscriptions')).items
  await control(server, `PATCH ${path}/subscriptions/${id}`, { enabled: false })
  await simulate('skipped')
  expect((await list()).skipped).toBe('not_delivered')
})

test('a summary that arrived nowhere names what each endpoint waits for', async () => {
  const summary = ['CALL_AI_SUMMARY']
  const { urls, simulate, read } = await open([500, 503, 200], { events: [summary, 'all', summary] })
  await simulate('c1')
  const { summaryStatus } = await read('timeline?call=c1')
  expect(summaryStatus.state).toBe('undelivered')
  expect(summaryStatus.endpoints.map(({ url, text }: { url: string; text: string }) => [url, text])).toEqual([
    [urls[0], expect.stringMatching(/^not delivered: CALL_AI_SUMMARY got 500\b/)],
    [
      urls[1],
      expect.stringMatching(
        /^not delivered: CALL_AI_SUMMARY waits for CALL_INCOMING_INITIATED, which got 503\b/,
      ),
    ],
    [urls[2], expect.stringMatching(clock)],
  ])
  for (const text of ['CALL_AI_SUMMARY got 500', 'CALL_INCOMING_INITIATED, which got 503'])
    expect(summaryStatus.text).toContain(text)
})

test('the line of an endpoint names the last event that failed there, which may have overtaken an earlier one', async () => {
  const { server, urls, simulate, read } = await open([500], { events: [['CALL_ENDED', 'CALL_AI_SUMMARY']] })
  await simulate('c1')
  const readLine = async () => (await read('timeline?call=c1')).endpoints[0]
  const { url, eventName, deliveryId } = await readLine()
  expect({ url, eventName }).toEqual({ url: urls[0], eventName: 'CALL_ENDED' })

  // The third failure lets the summary follow.
  const retry = async () => {
    await control(server, `POST ${path}/deliveries/${deliveryId}/retry`, {})
    await server.service.dispatcher.runDue()
    return readLine()
  }
  await expect.poll(retry).toMatchObject({
    eventName: 'CALL_AI_SUMMARY',
    text: expect.stringMatching(/^not delivered: CALL_AI_SUMMARY got 500\b/),
  })
  expect((await read('timeline?call=c1')).summaryStatus.state).toBe('undelivered')
})

test('a skipped event is not hidden by later ones that were delivered', async () => {
  const { server, simulate, read } = await open([500], { fails: 'CALL_INCOMING_INITIATED' })
  await simulate('c1')
  const [{ deliveryId }] = (await read('timeline?call=c1')).endpoints
  await control(server, `POST ${path}/deliveries/${deliveryId}/cancel`, {})
  const readMissing = async () => (await read('timeline?call=c1')).endpoints[0].missing
  await expect.poll(readMissing).toBe(1)

  const { endpoints, summaryStatus } = await read('timeline?call=c1')

  expect(endpoints).toMatchObject([{ state: 'not_delivered', deliveryId, missing: 1, at: null }])
  expect(endpoints[0].text).toMatch(
    /^1 of \d events not delivered: CALL_INCOMING_INITIATED got 500.*, and was skipped$/,
  )
  expect(summaryStatus).toMatchObject({ state: 'arrived', text: 'The summary has arrived.' })
})

test('a summary is under way in the list of calls, too, when an earlier event of its lane was given up', async () => {
  const { server, read } = await open([])
  const webhooks = createServer(async (request, response) => {
    const body = await text(request)
    // The summary gets no response.
    if (!body.includes('CALL_AI_SUMMARY')) response.writeHead(body.includes('INITIATED') ? 500 : 200).end()
  })
  const url = `${await listenOnFreePort(webhooks)}/`
  await control(server, `POST ${path}/subscriptions`, { channel: 'PSTN', number: acme.pstnNumbers[0], url })
  await control(server, `POST ${path}/simulated-calls`, { callId: 'c1' })
  const readLane = async () => (await read('timeline?call=c1')).endpoints[0]
  await expect.poll(readLane).toMatchObject({ state: 'not_delivered' })
  await control(server, `POST ${path}/deliveries/${(await readLane()).deliveryId}/cancel`, {})

  const readSummary = async () => (await read('timeline?call=c1')).summaryStatus.endpoints
  await expect.poll(readSummary).toMatchObject([{ state: 'under_way', eventName: 'CALL_AI_SUMMARY' }])
  expect((await read('calls/c1')).summaryArrival).toBe('under_way')
})

test('a new event is under way until an attempt has failed', async () => {
  const { server, read } = await open([])
  const silent = createServer(() => {})
  const url = `${await listenOnFreePort(silent)}/`
  await control(server, `POST ${path}/subscriptions`, { channel: 'PSTN', number: acme.pstnNumbers[0], url })
  await control(server, `POST ${path}/simulated-calls`, { callId: 'c1' })
  const { endpoints } = await read('timeline?call=c1')
  expect(endpoints).toMatchObject([{ state: 'under_way', eventName: 'CALL_INCOMING_INITIATED' }])
  expect(endpoints[0].text).toMatch(
    /^under way: CALL_AI_SUMMARY waits for CALL_INCOMING_INITIATED, which has not arrived yet\. It is (?:due|being attempted)/,
  )
  expect((await read('calls/c1')).summaryArrival).toBe('under_way')
})

test('a group has a line per endpoint too', async () => {
  const server = await start()
  const { url } = await listenForWebhooks(() => 404)
  const number = acme.integrations[0]?.wabaNumber
  await control(server, `POST ${path}/subscriptions`, { channel: 'WHATSAPP', number, url })
  const joined = { groupId: 'a', phone: '+15550199001', state: 'joined' }
  await createGroup(server.url, { groupId: 'a' })
  await control(server, `POST ${path}/participants`, joined)
  await server.service.dispatcher.runDue()
  const { endpoints, deliveries } = (await control(server, `GET ${path}/timeline?group=a`)).body
  expect((await control(server, `GET ${path}/groups`)).body.items).toMatchObject([{ members: 1 }])
  expect(deliveries.length).toBeGreaterThan(0)
  const text = expect.stringContaining('got 404 (nothing at the URL accepts POST requests), ')
  expect(endpoints).toMatchObject([{ url, state: 'not_delivered', text }])
})
