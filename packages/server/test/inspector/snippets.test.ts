import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createMock } from '@wabakit/mock'
import { createReceiver, standardWebhooks } from '@wabakit/webhooks'
import { afterAll, expect, test, vi } from 'vitest'
import { control, createGroup, listenForWebhooks, start } from '../fixture.ts'
import { requireCommand } from '../programs.ts'

// The page remembers settings in the browser.
vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => {} })
vi.stubGlobal('document', { documentElement: { dataset: {} } })
vi.stubGlobal('location', { origin: 'http://127.0.0.1:4100' })
afterAll(() => {
  vi.unstubAllGlobals()
})
const { formatCurl } = await import('../../../inspector/src/format/snippets.ts')
const { formatFixture, formatTest } = await import('../../../inspector/src/format/snippets.ts')

const path = '/organizations/acme'

/** Starts a server that delivers one event, and returns its records of the event. */
const deliver = async () => {
  const server = await start()
  const endpoint = await listenForWebhooks()
  const subscription = {
    channel: 'WHATSAPP',
    number: '+15550100001',
    url: endpoint.url,
    headers: { 'x-token': 't0ken' },
  }
  const { body: created } = await control(server, `POST ${path}/subscriptions`, subscription)
  await createGroup(server.url, { groupId: 'a', subject: "Anna's “team” $HOME" })
  await server.service.dispatcher.runDue()
  const [delivery] = (await control(server, `GET ${path}/deliveries`)).body.items
  const sent = await control(server, `GET ${path}/deliveries/${delivery.id}/attempts/1/request`)
  const event = await control(server, `GET ${path}/events/${delivery.eventId}`)
  return { endpoint, secret: created.secret, sent: sent.body, event: event.body }
}

test.skipIf(!requireCommand('curl', '--version'))(
  'a copied curl command sends the same webhook again',
  async () => {
    const { endpoint, sent } = await deliver()

    await promisify(execFile)('sh', ['-c', formatCurl(sent)])

    const [first, second] = endpoint.arrivals
    expect([first, second].map((each) => each?.headers['x-token'])).toEqual(['t0ken', '<secret>'])
    expect(second?.body).toBe(first?.body)
    for (const name of [
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
      'content-type',
      'user-agent',
    ]) {
      expect(second?.headers[name]).toBe(first?.headers[name])
    }
  },
)

test("a copied test passes unchanged, with the event's payload", async () => {
  const { event } = await deliver()
  const source = formatTest(event)
  let run: (() => Promise<void>) | undefined
  let name = ''
  const define = new Function(
    ...['expect', 'test', 'createMock', 'createReceiver', 'standardWebhooks'],
    source.replaceAll(/^import .*$/gm, ''),
  )
  const register = (given: string, body: () => Promise<void>): void => {
    name = given
    run = body
  }
  const mocks: Awaited<ReturnType<typeof createMock>>[] = []
  const createRecorded = async () => {
    const mock = await createMock()
    mocks.push(mock)
    return mock
  }
  define(expect, register, createRecorded, createReceiver, standardWebhooks)

  await run?.()

  expect(name).toBe('handles GROUP_CREATED')
  expect(mocks[0]?.deliveries[0]?.event).toMatchObject(JSON.parse(formatFixture(event)))
  expect(source.match(/from '(.+)'/g)).toEqual([
    `from 'vitest'`,
    `from 'wabakit/mock'`,
    `from 'wabakit/webhooks'`,
  ])
})

test.each(["x', () => {}); globalThis.pasted = true; //", '`; globalThis.pasted = true; `', '\\\n\u2028"\''])(
  'a copied test contains the name %j as text, never as code',
  (name) => {
    const names: unknown[] = []
    const define = new Function('test', formatTest({ name, payload: '{}' }).replaceAll(/^import .*$/gm, ''))

    define((given: string, body: unknown) => names.push(given, String(body).includes('waitForDelivery')))

    expect(names).toEqual([`handles ${name}`, true])
    expect(globalThis).not.toHaveProperty('pasted')
  },
)

test.each(['a b', "x'", 'x;y', '$(x)', '`x`', 'é', '1X', 'X'.repeat(101), 'x\u202ey'])(
  'the control API publishes no event of the name %j',
  async (name) => {
    const server = await start()
    const event = { name, subject: 'call:1', channel: 'PSTN', number: '+15550100002', payload: {} }
    const { status, body } = await control(server, `POST ${path}/events`, event)
    expect([status, body.code, body.issues?.[0]?.path]).toEqual([400, 'invalid_input', 'name'])
  },
)
