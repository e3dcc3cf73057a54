import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { control, createGroup, start } from './fixture.ts'
import { listenOnFreePort } from './listen-on-free-port.ts'

const listen = async () => {
  const received: { headers: NodeJS.Dict<string | string[]>; body: Record<string, unknown> }[] = []
  const endpoint = createServer(async (request, response) => {
    const chunks = await request.toArray()
    received.push({ headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) })
    response.writeHead(500).end()
  })
  return { received, url: `${await listenOnFreePort(endpoint)}/` }
}

test('a server with mock and the profile live imitates a live service', async () => {
  const server = await start({ sandbox: true, profile: 'live' })
  const { received, url } = await listen()
  const subscription = { channel: 'WHATSAPP', number: '+15550100001', url, authorization: { token: 't0ken' } }
  await control(server, 'POST /organizations/acme/subscriptions', subscription)
  const call = { channel: 'WHATSAPP', summary: false, callId: 'call-1' }
  await control(server, 'POST /organizations/acme/simulated-calls', call)
  await expect.poll(() => received.length).toBe(3)

  expect(received.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill('Bearer t0ken'))
  expect(
    received.flatMap(({ headers }) => Object.keys(headers)).filter((name) => /^webhook-/.test(name)),
  ).toEqual([])
  expect(received[0]?.body).toMatchObject({
    event: 'CALL_INCOMING_INITIATED',
    pickedBy: '',
    wabaNumber: '15550100001',
  })
  // There is no retry after a status.
  await expect
    .poll(async () => {
      const { body } = await control(server, 'GET /organizations/acme/deliveries')
      return body.items.map((each: { status: string }) => each.status)
    })
    .toEqual(['exhausted', 'exhausted', 'exhausted'])

  const key = 'wk_test_key_0123456789'
  const summary = async (headers: Record<string, string>) => {
    const response = await fetch(`${server.url}/v1/call/ai-summary?callId=call-1`, { headers })
    return [response.status, await response.json()]
  }
  expect(await summary({ authorization: key })).toMatchObject([404, { message: 'No such call' }])
  expect(await summary({ 'x-public-api-key': key })).toEqual([
    401,
    { statusCode: 401, message: 'Unauthorized' },
  ])
  expect((await createGroup(server.url)).status).toBe(401)
  const created = await createGroup(server.url, {}, { 'x-public-api-key': key })
  expect(await created.json()).toMatchObject({ success: true, wabaNumber: '+15550100001' })

  const { body: log } = await control(server, 'GET /requests?organization=acme')
  const [{ requestId }] = log.items.slice(-1)
  expect(log.items.map((each: { status: number }) => each.status)).toEqual([200, 404])
  const { body: logged } = await control(server, `GET /requests/${requestId}?organization=acme`)
  expect(JSON.parse(logged.responseBody)).toMatchObject({ message: 'No such call' })
})

test('a call that was not answered ends as at a live service', async () => {
  const server = await start({ sandbox: true, profile: 'live' })
  const { received, url } = await listen()
  const path = '/organizations/acme'
  await control(server, `POST ${path}/subscriptions`, { channel: 'WHATSAPP', number: '+15550100001', url })
  const call = { channel: 'WHATSAPP', outcome: 'missed', notPicked: 2 }
  await control(server, `POST ${path}/simulated-calls`, call)
  await expect.poll(() => received.length).toBe(4)
  const [, first, second, last] = received.map(({ body }) => body)
  expect(first).toMatchObject({ event: 'CALL_NOT_PICKED', callStatus: 'INITIATED' })
  expect(second).toEqual(first)
  expect(last).toMatchObject({ event: 'CALL_MISSED', callStatus: 'MISSED' })

  const outgoing = { ...call, direction: 'OUTGOING' }
  expect(await control(server, `POST ${path}/simulated-calls`, outgoing)).toMatchObject({
    status: 400,
    body: { issues: [{ path: 'notPicked' }] },
  })
})
