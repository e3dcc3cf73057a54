import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateSecret, sqlDedupeTable } from '@wabakit/webhooks'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { startPostgres } from './postgres.ts'
import { joined, signed, summary } from './signed.ts'

const files = [
  'receive.ts',
  'worker.ts',
  'receive.test.ts',
  'rotate.ts',
  'vendor.ts',
  'transaction.ts',
  'switch.ts',
  'diagnose.ts',
  'timeline.ts',
  'durable-inbox.ts',
]
const secret = generateSecret()
const post = async (event: object, id?: string) =>
  new Request('http://localhost', await signed(event, { secret, ...(id !== undefined && { id }) }))

let printed: string[] = []
beforeEach(() => {
  vi.stubEnv('WABAKIT_WEBHOOK_SECRET', secret)
  printed = []
  for (const method of ['log', 'warn', 'error'] as const) {
    vi.spyOn(console, method).mockImplementation(
      (...values) => void printed.push(values.map(String).join(' ')),
    )
  }
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.resetModules()
})

it('each snippet of the README is identical to a file that runs here', () => {
  const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')
  const blocks = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code)
  expect(blocks).toEqual(files.map((file) => readFileSync(join(import.meta.dirname, 'readme', file), 'utf8')))
})

it('the snippet that receives prints the events', async () => {
  const { POST } = await import('./readme/receive.ts')
  expect((await POST(await post(summary, 'msg_1'))).status).toBe(200)
  expect((await POST(await post(joined))).status).toBe(200)
  expect(printed).toEqual([`msg_1 call-1 ${summary.summary.recap}`, 'GROUP_PARTICIPANT_JOINED g-1'])
})

it('the snippet that receives loads without a secret, as in a build, and responds 503 until there is one', async () => {
  vi.stubEnv('WABAKIT_WEBHOOK_SECRET', undefined)
  const { POST } = await import('./readme/receive.ts')
  expect((await POST(await post(joined))).status).toBe(503)
  vi.stubEnv('WABAKIT_WEBHOOK_SECRET', secret)
  expect((await POST(await post(joined))).status).toBe(200)
})

it('the snippet for Workers uses the secret of its environment', async () => {
  vi.stubEnv('WABAKIT_WEBHOOK_SECRET', undefined)
  const { default: worker } = await import('./readme/worker.ts')
  const response = await worker.fetch(await post(summary), { WABAKIT_WEBHOOK_SECRET: secret }, {})
  expect(response.status).toBe(200)
  expect(printed).toEqual([`call-1 ${summary.summary.recap}`])
})

it('the snippet for vendors verifies by a signature, a static header or a password', async () => {
  vi.stubEnv('WEBHOOK_TOKEN', 't0ken')
  vi.stubEnv('WEBHOOK_PASSWORD', 'pa55')
  const { createEndpoint } = await import('./readme/vendor.ts')
  const headers = {
    signature: {},
    header: { 'x-webhook-token': 't0ken' },
    basic: { authorization: `Basic ${btoa('wabakit:pa55')}` },
  }
  for (const sender of ['signature', 'header', 'basic'] as const) {
    const [request, forged] = [await post(joined), await post(joined)]
    for (const [name, value] of Object.entries(headers[sender])) request.headers.set(name, value)
    forged.headers.set('webhook-signature', 'v1,AAAA')
    expect((await createEndpoint(sender).handle(request)).status).toBe(200)
    expect((await createEndpoint(sender).handle(forged)).status).toBe(401)
  }
})

it('the snippet that rotates accepts both secrets', async () => {
  vi.stubEnv('WABAKIT_PREVIOUS_SECRET', generateSecret())
  const { verify } = await import('./readme/rotate.ts')
  for (const each of [process.env.WABAKIT_WEBHOOK_SECRET ?? '', process.env.WABAKIT_PREVIOUS_SECRET ?? '']) {
    const { body, headers } = await signed(joined, { secret: each })
    const delivery = { headers: new Headers(headers), body: new TextEncoder().encode(body), url: '' }
    expect(await verify(delivery)).toMatchObject({ id: headers['webhook-id'] })
  }
})

it('the snippet with the switch names the subject of an event', async () => {
  const { subject } = await import('./readme/switch.ts')
  expect(subject({ event: 'CALL_ENDED', callId: 'c' })).toBe('call c')
})

it('the snippet that diagnoses prints the cause', async () => {
  const { receiver } = await import('./readme/diagnose.ts')
  const delivery = await signed(joined, { secret })
  expect((await receiver.handle(new Request('http://localhost', delivery))).status).toBe(200)
  const forged = { ...delivery, body: JSON.stringify(joined, null, 2) }
  expect((await receiver.handle(new Request('http://localhost', forged))).status).toBe(401)
  expect(printed[0]).toMatch(/^no_matching_signature/)
})

it('the snippet with the timeline prints each new state once', async () => {
  const { receiver } = await import('./readme/timeline.ts')
  const ended = { event: 'CALL_ENDED', callId: 'call-1' }
  for (const event of [ended, { ...ended, event: 'CALL_ACCEPTED' }, ended, summary, summary, joined]) {
    expect((await receiver.handle(await post(event))).status).toBe(200)
  }
  expect(printed).toEqual(['call-1 ended ', `call-1 summarized ${summary.summary.recap}`])
})

describe('the recipes on PostgreSQL', () => {
  let postgres: Awaited<ReturnType<typeof startPostgres>>
  beforeAll(async () => {
    postgres = await startPostgres()
  }, 30_000)
  afterAll(() => postgres.stop())

  it('the transaction keeps a summary exactly once', async () => {
    const { createSummaries } = await import('./readme/transaction.ts')
    const pool = postgres.pool()
    await pool.query(sqlDedupeTable())
    await pool.query('CREATE TABLE summaries (call_id text, recap text)')
    const receiver = createSummaries(pool, secret)
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect((await receiver.handle(await post(summary, 'msg_1'))).status).toBe(200)
    }
    const { rows } = await pool.query('SELECT call_id, recap FROM summaries')
    expect(rows).toEqual([{ call_id: 'call-1', recap: summary.summary.recap }])
  })

  const setUp = async () => {
    const recipe = await import('./readme/durable-inbox.ts')
    const pool = postgres.pool()
    await pool.query('DROP TABLE IF EXISTS webhook_inbox')
    await pool.query(recipe.table)
    const inbox = recipe.createInbox(pool, secret)
    const drain = async (handle: Parameters<typeof recipe.workOnce>[1]) => {
      while (await recipe.workOnce(pool, handle));
    }
    return { ...recipe, pool, inbox, drain }
  }

  it('handles each event once, in any number of workers, however often it is sent', async () => {
    const { inbox, drain } = await setUp()
    const events = Array.from({ length: 20 }, (_, index) => ({ ...joined, groupId: `g-${index}` }))
    const requests = await Promise.all(
      [...events, ...events].map((event) => post(event, `msg_${event.groupId}`)),
    )
    const responses = await Promise.all(requests.map((request) => inbox.handle(request)))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))

    const handled: string[] = []
    const handle = async (event: object) => void handled.push(Object(event).groupId)
    await Promise.all([drain(handle), drain(handle), drain(handle)])
    expect(handled.toSorted()).toEqual(events.map(({ groupId }) => groupId).toSorted())
  })

  it('keeps an event whose worker failed or died, until its lease expires', async () => {
    const { inbox, workOnce, pool } = await setUp()
    await inbox.handle(await post(summary))
    const handled: string[] = []
    const handle = async (event: object) => void handled.push(Object(event).callId)

    await expect(workOnce(pool, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
    expect(await workOnce(pool, handle)).toBe(false)
    await pool.query('UPDATE webhook_inbox SET leased_until = now()')
    expect(await workOnce(pool, handle)).toBe(true)
    expect(await workOnce(pool, handle)).toBe(false)
    expect(handled).toEqual(['call-1'])
  })

  it('responds 500 while the database is down, so that the sender keeps the event', async () => {
    const { createInbox } = await import('./readme/durable-inbox.ts')
    const closed = new pg.Pool({ host: '127.0.0.1', port: 1 })
    const response = await createInbox(closed, secret).handle(await post(joined))
    expect(response.status).toBe(500)
  })
})
