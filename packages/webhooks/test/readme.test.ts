import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { createReceiver, generateSecret, sqlInbox, standardWebhooks, urlToken } from '@wabakit/webhooks'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { takeBlocks } from '../../../tools/code-blocks.ts'
import { sharePostgres } from './postgres.ts'
import { joined, signed, summary } from './signed.ts'

/** Snippets by their page. */
const pages = {
  'packages/webhooks/README.md': ['receive.ts', 'worker.ts', 'receive.test.ts', 'inbox.ts'],
  'docs/reference/receiver.md': ['vendor.ts', 'switch.ts'],
  'docs/reference/inbox.md': ['inbox-sqlite.ts', 'inbox-reload.ts'],
}
const secret = generateSecret()
const token = 'a-token-of-16-bytes'
const post = async (event: object, id?: string) =>
  new Request(
    `http://localhost/?token=${token}`,
    await signed(event, {
      secret,
      headers: { authorization: `Bearer ${token}` },
      ...(id !== undefined && { id }),
    }),
  )

const importReceiver = async () => {
  vi.stubEnv('DATABASE', ':memory:')
  const module = await import('./readme/receive.ts')
  onTestFinished(() => module.receiver.stop())
  return module
}

let printed: string[] = []
beforeEach(() => {
  vi.stubEnv('WABAKIT_WEBHOOK_SECRET', secret)
  vi.stubEnv('WEBHOOK_TOKEN', token)
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
  vi.unstubAllGlobals()
  vi.resetModules()
})

const blocks = takeBlocks(import.meta.filename)
const readBlocks = (page: string): string[] =>
  blocks.filter((block) => block.page === page).map(({ code }) => code)

it.each(Object.entries(pages))('each snippet of %s is identical to a file that runs here', (page, files) => {
  expect(readBlocks(page)).toEqual(
    files.map((file) => readFileSync(join(import.meta.dirname, 'readme', file), 'utf8')),
  )
})

it('the snippet that receives prints the events', async () => {
  const { POST, receiver } = await importReceiver()
  expect((await POST(await post(summary, 'msg_1'))).status).toBe(200)
  expect((await POST(await post(joined))).status).toBe(200)
  await receiver.drain()
  expect(printed).toEqual([
    expect.stringMatching(`^id:[0-9a-f]{64} call-1 ${summary.summary.recap}$`),
    'GROUP_PARTICIPANT_JOINED g-1',
  ])
})

it('the snippet that receives loads without a token, as in a build, and responds 503 until there is one', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  vi.stubEnv('WEBHOOK_TOKEN', undefined)
  const { POST } = await importReceiver()
  expect((await POST(await post(joined))).status).toBe(503)
  vi.stubEnv('WEBHOOK_TOKEN', token)
  vi.setSystemTime(Date.now() + 1_000)
  expect((await POST(await post(joined))).status).toBe(200)
})

it('the snippet for Workers uses the token of its environment', async () => {
  vi.stubEnv('WEBHOOK_TOKEN', undefined)
  const { default: worker } = await import('./readme/worker.ts')
  const response = await worker.fetch(await post(summary), { WEBHOOK_TOKEN: token }, {})
  expect(response.status).toBe(200)
  expect(printed).toEqual([`call-1 ${summary.summary.recap}`])
})

it('the snippet for vendors verifies by a token, a static header or a signature', async () => {
  const { createEndpoint } = await import('./readme/vendor.ts')
  for (const sender of ['bearer', 'header', 'signature'] as const) {
    const [request, forged] = [await post(joined), await post(joined)]
    request.headers.set('x-webhook-token', token)
    for (const name of ['webhook-signature', 'authorization', 'x-webhook-token'])
      forged.headers.set(name, 'v1,AAAA')
    expect((await createEndpoint(sender).handle(request)).status).toBe(200)
    expect((await createEndpoint(sender).handle(forged)).status).toBe(401)
  }
})

it('a receiver prints the line that the page on troubleshooting starts with', async () => {
  const [, start, end] =
    /^(A webhook was .*) … (.*)\n$/.exec(readBlocks('docs/troubleshooting.md')[0] ?? '') ?? []
  const request = await post(joined)
  request.headers.set('webhook-signature', 'v1,AAAA')
  await createReceiver({ verify: standardWebhooks({ secrets: [secret] }) }).handle(request)
  expect(printed).toEqual([expect.stringContaining(`${start} `)])
  expect(printed).toEqual([expect.stringMatching(RegExp(` ${end?.replace('()', '\\(\\)')}$`))])
})

it('the snippet for drifted summaries handles what is parked, and keeps what it cannot read', async () => {
  const [, block] = readBlocks('docs/troubleshooting.md')
  expect(block).toBe(readFileSync(join(import.meta.dirname, 'readme/drifted.ts'), 'utf8'))
  const { handleDrift } = await import('./readme/drifted.ts')
  const inbox = sqlInbox(new DatabaseSync(':memory:'), { dialect: 'sqlite', maxAttempts: 1 })
  const before = createReceiver({ verify: urlToken({ token }), inbox })
  for (const lost of [{ recap: 'Wants a refund.' }, null])
    await before.handle(await post({ ...summary, callId: `call-${lost?.recap}`, summary: lost }))
  await before.drain()
  expect(await inbox.count({ by: 'reason' })).toMatchObject({ drifted: 2 })
  printed = []
  await createReceiver({ verify: urlToken({ token }), inbox })
    .onDrift(handleDrift)
    .drain()
  expect(printed).toContain('call-Wants a refund. Wants a refund.')
  expect(await inbox.count({ by: 'reason' })).toMatchObject({ failed: 1 })
})

it('the snippet with the switch names the subject of an event', async () => {
  const { subject } = await import('./readme/switch.ts')
  expect(subject({ event: 'CALL_ENDED', callId: 'c' })).toBe('call c')
})

it('the snippets with an inbox keep a summary exactly once', async () => {
  const postgres = await sharePostgres()
  onTestFinished(() => postgres.stop())
  const pool = postgres.pool()
  await pool.query('CREATE TABLE summaries (call_id text, recap text)')
  vi.stubEnv('DATABASE', ':memory:')
  const { database, receiver } = await import('./readme/inbox-sqlite.ts')
  database.exec('CREATE TABLE summaries (call_id TEXT, recap TEXT)')
  const { createSummaries } = await import('./readme/inbox.ts')
  for (const each of [createSummaries(pool, token), receiver]) {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      expect((await each.handle(await post(summary, 'msg_1'))).status, printed.join()).toBe(200)
    }
    expect(await each.drain()).toMatchObject({ remaining: 0 })
    await each.stop()
  }
  const select = 'SELECT call_id, recap FROM summaries'
  const kept = [{ call_id: 'call-1', recap: summary.summary.recap }]
  expect([(await pool.query(select)).rows, database.prepare(select).all()]).toEqual([kept, kept])

  const [testing = ''] = readBlocks('docs/testing.md')
  const received = `await receiver.on('GROUP_CREATED', () => {}).accept('{"event":"GROUP_CREATED","groupId":"g"}')\n`
  const script = `${testing.replace(/^(?=const \{ handled \})/m, received)}
    const { rows } = await pool.query('SELECT state FROM wabakit_inbox_7')
    console.log(handled, rows)
    await pool.end()`
  const options = ['--conditions=@wabakit/source', '--input-type=module-typescript', '--eval', script]
  const { stdout } = await promisify(execFile)(process.execPath, options, {
    env: { ...process.env, DATABASE_URL: postgres.connectionString, JEST_WORKER_ID: '7' },
    cwd: import.meta.dirname,
  })
  expect(stdout).toBe("1 [ { state: 'handled' } ]\n")

  // A module that is evaluated again stops the receiver of the old one: the pool gets all its connections back.
  const reloaded = postgres.pool()
  vi.stubGlobal('webhookPool', reloaded)
  vi.stubGlobal('stopWebhooks', undefined)
  const first = await import('./readme/inbox-reload.ts')
  first.start()
  vi.resetModules()
  const module = await import('./readme/inbox-reload.ts')
  await module.receiver.accept(JSON.stringify({ ...summary, callId: 'call-2' }))
  await expect.poll(() => printed).toContainEqual(`call-2 ${summary.summary.recap}`)
  await module.receiver.stop()
  await expect.poll(() => reloaded.totalCount - reloaded.idleCount).toBe(0)
})
