import { expect, test } from 'vitest'
import type { RunningServer } from '../src/index.ts'
import { acme, control, createGroup, start } from './fixture.ts'
import { createPostgresDatabase } from './shared-cluster.ts'
import { temporaryFolder } from './temporary-folder.ts'

const databases = {
  SQLite: () => `${temporaryFolder()}/wabakit.db`,
  PostgreSQL: createPostgresDatabase,
}

const [wabaNumber, pstnNumber] = ['+15550100001', '+15550100002']
const call = {
  channel: 'PSTN',
  direction: 'INCOMING',
  channelNumber: pstnNumber,
  customerNumber: '+15550100003',
}
const event = { name: 'X', subject: 'call:1', channel: 'PSTN', number: pstnNumber, payload: {} }
const subscription = { channel: 'PSTN', number: pstnNumber, url: 'http://127.0.0.1:9/' }

const path = '/organizations/acme'
const tooLong = 'x'.repeat(256)
const longNumber = '1'.repeat(256)

/** A request and its invalid field. */
type Refused = readonly [field: string, request: string, body?: unknown]

/** Returns requests with an invalid identifier, both URL-encoded and unencoded. */
const withIdentifier = (inUrl: string, id: string): Refused[] => [
  ['organizationId', `GET /organizations/${inUrl}`],
  ['organizationId', `PATCH /organizations/${inUrl}`, {}],
  ['organizationId', `DELETE /organizations/${inUrl}`],
  ['organizationId', `GET /organizations/${inUrl}/stream`],
  ['organizationId', `GET /organizations/${inUrl}/api-keys`],
  ['organizationId', `POST /organizations/${inUrl}/api-keys`, {}],
  ['organizationId', `GET /organizations/${inUrl}/subscriptions`],
  ['organizationId', `POST /organizations/${inUrl}/subscriptions`, subscription],
  ['organizationId', `GET /organizations/${inUrl}/groups/g`],
  ['organizationId', `POST /organizations/${inUrl}/calls`, call],
  ['organizationId', `GET /organizations/${inUrl}/calls/c`],
  ['organizationId', `POST /organizations/${inUrl}/simulated-calls`, {}],
  ['organizationId', `GET /organizations/${inUrl}/events`],
  ['organizationId', `POST /organizations/${inUrl}/events`, event],
  ['organizationId', `GET /organizations/${inUrl}/deliveries`],
  ['organizationId', `GET /organizations/${inUrl}/deliveries/d/attempts`],
  ['organizationId', `POST /organizations/${inUrl}/deliveries/resend`, {}],
  ['id', 'POST /organizations', { id }],
  ['keyId', `DELETE ${path}/api-keys/${inUrl}`],
  ['subscriptionId', `GET ${path}/subscriptions/${inUrl}`],
  ['subscriptionId', `PATCH ${path}/subscriptions/${inUrl}`, {}],
  ['subscriptionId', `POST ${path}/subscriptions/${inUrl}/rotate-secret`, {}],
  ['subscriptionId', `DELETE ${path}/subscriptions/${inUrl}`],
  ['callId', `POST ${path}/calls`, { ...call, callId: id }],
  ['callId', `POST ${path}/simulated-calls`, { callId: id }],
  ['callId', `GET ${path}/calls/${inUrl}`],
  ['callId', `POST ${path}/calls/${inUrl}/steps`, { step: 'miss' }],
  ['callId', `POST ${path}/calls/${inUrl}/summary`, { recap: '', keyPoints: [], nextSteps: [] }],
  ['eventId', `GET ${path}/events/${inUrl}`],
  ['eventId', `GET ${path}/stream?after=${inUrl}`],
  ['deliveryId', `GET ${path}/deliveries/${inUrl}`],
  ['deliveryId', `GET ${path}/deliveries/${inUrl}/attempts`],
  ['deliveryId', `POST ${path}/deliveries/${inUrl}/resend`, {}],
  ['event', `GET ${path}/deliveries?event=${inUrl}`],
  ['subscription', `GET ${path}/deliveries?subscription=${inUrl}`],
  ['event', `POST ${path}/deliveries/resend`, { event: id }],
  ['subscription', `POST ${path}/deliveries/resend`, { subscription: id }],
]

const notAnId = 'not-a-cursor'
const refused: readonly Refused[] = [
  ...withIdentifier('%00', '\0'),
  ...withIdentifier('%0A', '\n'),
  ...withIdentifier(tooLong, tooLong),
  ['groupId', `GET ${path}/groups/%00`],
  ['groupId', `POST ${path}/participants`, { groupId: '\0', phone: '+1', state: 'joined' }],
  ['subject', `GET ${path}/events?subject=%00`],
  ['name', `GET ${path}/events?name=%00`],
  ['name', `POST ${path}/events`, { ...event, name: '\0' }],
  ['name', `POST ${path}/events`, { ...event, name: '' }],
  ['subject', `POST ${path}/events`, { ...event, subject: '\0' }],
  ['subject', `POST ${path}/events`, { ...event, subject: '' }],
  ['subject', `POST ${path}/events`, { ...event, subject: `group:${tooLong}` }],
  ['label', `POST ${path}/api-keys`, { label: '\0' }],
  ['url', `POST ${path}/subscriptions`, { ...subscription, url: 'https://example.com/\0' }],
  ['secret', `POST ${path}/subscriptions`, { ...subscription, secret: '\0' }],
  ...['\0', longNumber].flatMap((number): Refused[] => [
    ['phone', `POST ${path}/participants`, { groupId: 'g', phone: number, state: 'joined' }],
    ['pstnNumbers.0', `PATCH ${path}`, { pstnNumbers: [number] }],
    ['integrations.0.wabaNumber', `PATCH ${path}`, { integrations: [{ wabaNumber: number }] }],
    ['wabaNumbers.0', `POST ${path}/api-keys`, { wabaNumbers: [number] }],
    ['number', `POST ${path}/subscriptions`, { ...subscription, number }],
    ['number', `POST ${path}/events`, { ...event, number }],
    ['channelNumber', `POST ${path}/calls`, { ...call, channelNumber: number }],
    ['customerNumber', `POST ${path}/calls`, { ...call, customerNumber: number }],
    ['agentNumber', `POST ${path}/calls`, { ...call, agentNumber: number }],
    ['agentNumber', `POST ${path}/calls/c/steps`, { step: 'accept', agentNumber: number }],
  ]),
  ...['%00', notAnId, '1e3', '-1'].flatMap((cursor): Refused[] => [
    ['cursor', `GET /organizations?cursor=${cursor}`],
    ['cursor', `GET ${path}/subscriptions?cursor=${cursor}`],
    ['cursor', `GET ${path}/events?cursor=${cursor}`],
    ['cursor', `GET ${path}/deliveries?cursor=${cursor}`],
  ]),
]

/** JSON numbers that some type or column cannot represent. `1e400` is parsed as infinity. */
const oddNumbers = [
  ...[
    '1e300',
    '-1e300',
    '1e400',
    '1e-300',
    '-0',
    '1.5',
    '9007199254740993',
    '2147483648',
    '9223372036854775808',
  ],
  ...['8640000000000001', '31536000'],
]
const oddTimes = ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59-14:00']

/** Requests with such a value at `#`. For each value, `C` is a separate call in progress. */
const withOddValue: readonly (readonly [values: readonly string[], request: string, body?: string])[] = [
  [oddNumbers, `POST ${path}/simulated-calls`, '{"durationInSeconds":#}'],
  [oddNumbers, `POST ${path}/simulated-calls`, '{"summary":{"after":#}}'],
  [oddNumbers, `POST ${path}/simulated-calls`, '{"summary":{"after":"#s"}}'],
  [oddNumbers, `POST ${path}/calls/C/steps`, '{"step":"end","durationInSeconds":#}'],
  [oddNumbers, `POST ${path}/subscriptions/S/rotate-secret`, '{"overlapMs":#}'],
  [oddNumbers, 'POST /faults', '{"endpoint":"calls.getSummary","status":500,"times":#}'],
  [oddNumbers, 'POST /faults', '{"endpoint":"calls.getSummary","status":503,"retryAfterSeconds":#}'],
  [oddNumbers, 'POST /faults', '{"endpoint":"calls.getSummary","latencyMs":#}'],
  [oddNumbers, 'POST /faults', '{"endpoint":"calls.getSummary","status":#}'],
  [oddNumbers, 'POST /faults', '{"endpoint":"calls.getSummary","reset":true,"chance":#}'],
  [oddNumbers, `GET ${path}/events?limit=#`],
  [oddNumbers, `GET ${path}/events?cursor=#`],
  [oddNumbers, `GET ${path}/deliveries?limit=#`],
  [oddNumbers, `GET ${path}/deliveries?cursor=#`],
  [
    oddNumbers,
    `POST ${path}/events`,
    `{"name":"X","subject":"call:1","channel":"PSTN","number":"${pstnNumber}","payload":{"n":#}}`,
  ],
  [oddTimes, `POST ${path}/calls/C/steps`, '{"step":"accept","startedAt":"#"}'],
  [oddTimes, `POST ${path}/deliveries/resend`, '{"from":"#"}'],
  [oddTimes, `POST ${path}/deliveries/resend`, '{"before":"#"}'],
]

const getSummary = ({ url }: RunningServer, callId: string): Promise<Response> =>
  fetch(`${url}/v1/call/ai-summary?callId=${callId}`, {
    headers: { authorization: 'wk_test_key_0123456789' },
  })

test('an identifier that cannot be stored or is too long is refused, with the name of its field', async () => {
  const server = await start({ rateLimitPerKey: 0, rateLimitPerOrganization: 0 })
  await control(server, `POST ${path}/calls`, { ...call, callId: 'c' })
  for (const [field, request, body] of refused) {
    const answer = await control(server, request, body)
    expect.soft(answer, `${request.slice(0, 80)} ${JSON.stringify(body)?.slice(0, 80)}`).toMatchObject({
      status: 400,
      body: { issues: [{ path: field }] },
    })
  }
  for (const callId of ['%00', '%0A', tooLong, 'x'.repeat(3_000)]) {
    const answer = await getSummary(server, callId)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ code: 'invalid_call_id', issues: [{ path: 'callId' }] })
  }
})

test.each(Object.entries(databases))(
  'a number or time of any size is stored or refused on %s',
  async (_, open) => {
    const server = await start({
      database: await open(),
      sandbox: true,
      rateLimitPerKey: 0,
      rateLimitPerOrganization: 0,
    })
    const { body: subscribed } = await control(server, `POST ${path}/subscriptions`, subscription)
    for (const [values, request, body] of withOddValue) {
      for (const [index, value] of values.entries()) {
        const callId = `${values.length}_${index}`
        if (request.includes('/C/')) {
          await control(server, `POST ${path}/calls`, { ...call, callId })
          if (values === oddNumbers)
            await control(server, `POST ${path}/calls/${callId}/steps`, { step: 'accept' })
        }
        const { status } = await control(
          server,
          request
            .replace('#', encodeURIComponent(value))
            .replace('/C/', `/${callId}/`)
            .replace('S', subscribed.id),
          body?.replace('#', value),
        )
        expect.soft(status, `${request} ${body} with ${value}`).toBeLessThan(500)
      }
    }
    // Stored records can be read.
    for (const list of ['events', 'deliveries', 'subscriptions']) {
      expect((await control(server, `GET ${path}/${list}?limit=1000`)).status).toBe(200)
    }
    for (const [request, body] of [
      ['/whatsapp/wa-group/create', '{"wabaNumber":#,"subject":"Team"}'],
      ['/whatsapp/wa-group/create', `{"wabaNumber":"${wabaNumber}","subject":#}`],
      ['/whatsapp/wa-group/create', `{"wabaNumber":"${wabaNumber}","subject":"Team","groupId":#}`],
    ] as const) {
      for (const number of oddNumbers) {
        const headers = { authorization: 'wk_test_key_0123456789', 'content-type': 'application/json' }
        const init = { method: 'POST', headers, body: body.replace('#', number) }
        expect.soft((await fetch(`${server.url}${request}`, init)).status, `${body} with ${number}`).toBe(400)
      }
    }
  },
)

// The indexes of PostgreSQL limit the length of what they hold.
test('the longest identifiers are stored and found, whatever their characters', async () => {
  const longest = '😀'.repeat(255)
  const longestNumber = '1'.repeat(255)
  const organization = { ...acme, id: longest, pstnNumbers: [longestNumber] }
  const server = await start({ database: await createPostgresDatabase(), organizations: [organization] })
  const own = `/organizations/${encodeURIComponent(longest)}`
  const subscribed = { channel: 'PSTN', number: longestNumber, url: 'http://127.0.0.1:9/' }
  const groupId = '😀'.repeat(50)
  const publishedEvent = {
    ...event,
    number: longestNumber,
    name: 'E'.repeat(100),
    subject: `call:${longest}`,
  }

  expect((await control(server, `POST ${own}/subscriptions`, subscribed)).status).toBe(201)
  const begun = { ...call, channelNumber: longestNumber, callId: longest }
  expect((await control(server, `POST ${own}/calls`, begun)).status).toBe(201)
  expect((await control(server, `POST ${own}/events`, publishedEvent)).status).toBe(201)
  expect((await createGroup(server.url, { groupId })).status).toBe(200)
  const joined = { groupId, phone: longestNumber, state: 'joined' }
  expect((await control(server, `POST ${own}/participants`, joined)).status).toBe(200)

  expect((await control(server, `GET ${own}/calls/${encodeURIComponent(longest)}`)).body.callId).toBe(longest)
  expect((await getSummary(server, encodeURIComponent(longest))).status).toBe(202)
  const ofCall = `subject=${encodeURIComponent(`call:${longest}`)}`
  expect((await control(server, `GET ${own}/events?${ofCall}`)).body.items).toHaveLength(2)
})
