import { DatabaseSync } from 'node:sqlite'
import {
  basicAuth,
  createReceiver,
  generateSecret,
  memoryDedupe,
  type ReceiverOptions,
  redisDedupe,
  sqlDedupe,
  sqlDedupeTable,
  sqlInbox,
  sqlInboxTable,
  standardWebhooks,
  staticHeader,
  unsigned,
  WebhookDriftError,
  WebhookHandlerTimeoutError,
  WebhookParseError,
  WebhookRequestError,
  WebhookUsageError,
  WebhookVerificationError,
} from '@wabakit/webhooks'
import { toFastifyPlugin } from '@wabakit/webhooks/fastify'
import { toNodeHandler } from '@wabakit/webhooks/node'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { joined, secret, signed, signedRequest, summary } from './signed.ts'

// Without their types, so that TypeScript does not catch the mistakes.
type Loose = (...values: unknown[]) => unknown
const loosely = (value: unknown) => value as Loose & Record<string, Loose>

const create = (options: object = {}) => loosely(createReceiver)({ verify: unsigned(), ...options })
const verify = standardWebhooks({ secrets: [secret] })
const receiver = loosely(createReceiver({ verify }))

describe('undefined', () => {
  it('means the default for every option of a receiver', async () => {
    const options = {
      verify: standardWebhooks({
        secrets: [secret],
        toleranceSeconds: undefined,
        allowShortSecrets: undefined,
        now: undefined,
      }),
      dedupe: memoryDedupe({ ttlMs: undefined, maxEntries: undefined, now: undefined }),
      ack: undefined,
      maxBodyBytes: undefined,
      bodyTimeoutMs: undefined,
      handlerTimeoutMs: undefined,
      claimTtlMs: undefined,
      now: undefined,
    } satisfies ReceiverOptions
    const chunks = async function* (text: string) {
      yield new TextEncoder().encode(text.slice(0, 5))
      await new Promise((resolve) => setTimeout(resolve, 5))
      yield new TextEncoder().encode(text.slice(5))
    }
    const { body, headers } = await signed(joined)
    const init = { method: 'POST', body: chunks(body), headers, duplex: 'half' }
    const request = new Request('http://localhost', init as unknown as RequestInit)
    const response = await createReceiver(options)
      .onAny(() => {}, { timeoutMs: undefined })
      .handle(request)
    expect([response.status, await response.text()]).toEqual([200, ''])
  })
})

describe("a developer's mistake", () => {
  it.each<[string, () => unknown, string]>([
    ['a misspelled event', () => receiver.on?.('CALL_ENDD', () => {}), ', CALL_ENDED,'],
    [
      'a misspelled event in a list',
      () => receiver.on?.(['CALL_ENDED', 'GROUP_CREATE'], () => {}),
      'GROUP_CREATED',
    ],
    ['an unlike event', () => receiver.subscribe?.('x', () => {}), 'Known names: GROUP_CREATED,'],
    ['an event that is not a name', () => receiver.on?.(undefined, () => {}), 'undefined'],
    ['null as an event', () => receiver.on?.(null, () => {}), '"null" is not the name of an event'],
    ['a symbol as an event', () => receiver.on?.(Symbol('x'), () => {}), 'Symbol(x)'],
    ['an empty list of events', () => receiver.on?.([], () => {}), 'at least one event'],
    ['no handler', () => receiver.on?.('CALL_ENDED'), 'The handler must be a function'],
    ['no handler of unknown events', () => receiver.onUnknown?.(), 'The handler must be a function'],
    ['a handler that is not a function', () => receiver.onAny?.({}), 'The handler must be a function'],
    ['a listener that is not a function', () => receiver.onError?.('log'), 'The listener must be a function'],
    [
      'a misspelled option of a handler',
      () => receiver.onAny?.(() => {}, { timeout: 1 }),
      'Known names: timeoutMs.',
    ],
    ['a misspelled option', () => receiver.onAny?.(() => {}, { timeout: 1 }), 'an option of a handler'],
    ['no options', () => loosely(createReceiver)(), 'createReceiver()'],
    ['no verify', () => loosely(createReceiver)({}), 'verify is required'],
    ['an empty dedupe', () => create({ dedupe: {} }), 'memoryDedupe()'],
    [
      'an inbox as a dedupe',
      () => create({ dedupe: sqlInbox(new DatabaseSync(':memory:')) }),
      'Pass sqlInbox() as inbox.',
    ],
    ['a dedupe without its parentheses', () => create({ dedupe: memoryDedupe }), 'memoryDedupe()'],
    ['a misspelled option', () => create({ maxBodyByte: 1 }), ', maxBodyBytes,'],
    ['an option of another function', () => create({ secrets: [secret] }), 'Known names: verify,'],
    ['an ack that does not exist', () => create({ ack: 'never' }), 'ack'],
    ['a waitUntil that is a number', () => create({ waitUntil: 5 }), 'waitUntil must be a function'],
    ['a clock that is a number', () => create({ now: 5 }), 'now must be a function'],
    [
      'a misspelled option of a verifier',
      () => loosely(standardWebhooks)({ secret }),
      'Known names: secrets,',
    ],
    ['no options of a verifier', () => loosely(standardWebhooks)(), 'standardWebhooks()'],
    [
      'a misspelled option of staticHeader',
      () => loosely(staticHeader)({ name: 'x', value: 'y' }),
      'of staticHeader()',
    ],
    ['a header that is not a name', () => loosely(staticHeader)({ header: 'x y', value: 'y' }), 'header'],
    [
      'a misspelled option of basicAuth',
      () => loosely(basicAuth)({ name: 'x', password: 'y' }),
      'of basicAuth()',
    ],
    ['a misspelled option of memoryDedupe', () => loosely(memoryDedupe)({ ttl: 1 }), 'ttlMs'],
    ['a misspelled option of redisDedupe', () => loosely(redisDedupe)({}, { ttl: 1 }), 'ttlMs'],
    ['a misspelled option of sqlDedupe', () => loosely(sqlDedupe)({}, { tabel: 'x' }), 'table'],
  ])('throws for %s', (_, make, text) => {
    expect(make).toThrow(WebhookUsageError)
    expect(make).toThrow(text)
    expect(make).toThrow(expect.objectContaining({ name: 'WebhookUsageError', code: 'invalid_usage' }))
  })

  it.each([{}, { secrets: undefined }, { secrets: [] }, { secrets: [undefined] }, { secrets: secret }])(
    'throws for standardWebhooks(%o)',
    (options) => {
      expect(() => loosely(standardWebhooks)(options)).toThrow(
        expect.objectContaining({ reason: 'invalid_secret' }),
      )
    },
  )
})

it('reads the clock when a request arrives, so that tests can replace it later', async () => {
  const made = createReceiver({ verify, dedupe: memoryDedupe() }).onAny(() => {})
  const now = new Date('2030-01-01T00:00:00Z')
  vi.useFakeTimers({ now })
  onTestFinished(() => void vi.useRealTimers())
  const request = await signedRequest(joined, { timestamp: now.getTime() / 1000 })
  expect((await made.handle(request)).status).toBe(200)
})

describe('without onError, a rejected request', () => {
  const capture = () => {
    const lines: unknown[][] = []
    const warn = vi.spyOn(console, 'warn').mockImplementation((...values) => void lines.push(values))
    onTestFinished(() => warn.mockRestore())
    return lines
  }
  const marked = 'CHOSEN-BY-THE-SENDER'
  const forge = () =>
    signedRequest({ ...joined, groupId: marked }, { secret: generateSecret(), id: `msg_${marked}` })

  it('prints its reason and the remedy', async () => {
    const lines = capture()
    await createReceiver({ verify }).handle(await forge())
    const parsed = await signedRequest(joined)
    await parsed.json()
    await createReceiver({ verify }).handle(parsed)
    expect(lines).toEqual([
      [expect.stringMatching(/^A webhook was rejected \(no_matching_signature\).*diagnose\(\).*onError/)],
      [expect.stringMatching(/body_was_parsed.*express\.json/)],
    ])
  })

  it('prints one line per reason and minute, with the number of requests', async () => {
    const lines = capture()
    let at = Date.now()
    const made = createReceiver({ verify, now: () => at })
    for (let count = 0; count < 5; count += 1) await made.handle(await forge())
    await made.handle(new Request('http://localhost'))
    expect(lines).toEqual([
      [expect.stringContaining('no_matching_signature')],
      [expect.stringContaining('method_not_allowed')],
    ])
    at += 60_000
    await made.handle(await forge())
    expect(lines).toHaveLength(3)
    expect(lines[2]).toEqual([expect.stringMatching(/^5 webhooks.*no_matching_signature/)])
  })

  it('prints nothing that the sender chose', async () => {
    const lines = capture()
    const age = 123_456
    const old = Math.floor(Date.now() / 1000) - age
    const custom = () => Promise.reject(new Error(marked))
    const requests: [ReceiverOptions['verify'], Request][] = [
      [verify, await forge()],
      [verify, await signedRequest(joined, { timestamp: old })],
      [verify, await signedRequest(joined, { headers: { 'webhook-id': `${marked}.` } })],
      [verify, await signedRequest(marked)],
      [verify, await signedRequest(`["${marked}"]`)],
      [verify, await signedRequest(joined, { headers: { 'content-type': `text/${marked}` } })],
      [verify, await signedRequest({ ...summary, channel: marked, summary: { keyPoints: [...marked, 1] } })],
      [verify, new Request(`http://localhost/${marked}`, { method: marked })],
      [custom, await signedRequest(joined)],
      [staticHeader({ header: 'x-token', value: 'v' }), await signedRequest(joined)],
    ]
    for (const [each, request] of requests) {
      const response = await createReceiver({ verify: each }).handle(request)
      expect(response.status).toBeGreaterThanOrEqual(400)
    }
    expect(lines).toHaveLength(requests.length)
    const text = lines.flat().join('\n')
    for (const remedy of [
      'clocks of sender and receiver',
      'A CALL_AI_SUMMARY does not',
      'verify function threw',
    ])
      expect(text).toContain(remedy)
    expect(text).not.toContain(marked)
    expect(text).not.toContain(String(age).slice(0, 5))
    expect(text).not.toContain(`keyPoints.${marked.length}`)
  })

  it('prints nothing with onError', async () => {
    const lines = capture()
    await createReceiver({ verify })
      .onError(() => {})
      .handle(await forge())
    expect(lines).toEqual([])
  })
})

describe.each([
  ['sqlDedupeTable', sqlDedupeTable],
  ['sqlInboxTable', sqlInboxTable],
])('the name of a table for %s', (_, toTable) => {
  it.each(['a', 'webhooks_2', '_X$y', 'shop.webhooks', 'Shop_1.w$2'])('may be %s', (table) => {
    expect(toTable({ table })).toContain(`CREATE TABLE IF NOT EXISTS ${table} (`)
  })

  it.each([
    '',
    '2a',
    'a b',
    'a-b',
    'a.',
    '.a',
    'a.2b',
    'a.b c',
    'a.b.c',
    'a"b',
    "a'b",
    'a; DROP TABLE b',
    'a\nb',
    'ä',
  ])('must not be %j', (table) => {
    expect(() => toTable({ table })).toThrow(RangeError)
    expect(() => toTable({ table })).toThrow(`"${table}" is not a valid table name`)
  })
})

it.each([{ attach: 1 }, sqlDedupe(new DatabaseSync(':memory:'))])(
  'rejects an inbox that is not one: %o',
  (inbox) => {
    expect(() => create({ inbox })).toThrow('inbox must be sqlInbox()')
  },
)

it.each([
  [
    'a dialect of another database',
    () => loosely(sqlInbox)(new DatabaseSync(':memory:'), { dialect: 'mysql' }),
  ],
  ['a dialect that does not exist', () => loosely(sqlInboxTable)({ dialect: 'oracle' })],
  ['a dialect that is a method of objects', () => loosely(sqlInboxTable)({ dialect: 'toString' })],
  ['a misspelled option of sqlInboxTable', () => loosely(sqlInboxTable)({ tabel: 'x' })],
  ['a misspelled option of sqlInbox', () => loosely(sqlInbox)(new DatabaseSync(':memory:'), { tabel: 'x' })],
  [
    'a misspelled retention of an inbox',
    () => loosely(sqlInbox)(new DatabaseSync(':memory:'), { retention: { handledBodyMS: 0 } }),
  ],
  [
    'an onParked that is not a function',
    () => loosely(sqlInbox)(new DatabaseSync(':memory:'), { onParked: 1 }),
  ],
])('rejects %s', (_, make) => {
  expect(make).toThrow(WebhookUsageError)
  expect(make).toThrow(
    /^The dialect is mysql, but this is a sqlite|is not a dialect of sqlInboxTable|an option of (?:sqlInbox|retention)|^onParked must be/,
  )
})

it.each(['concurrency', 'maxAttempts', 'pollMs'])('rejects an inbox with a %s of 0', (name) => {
  expect(() => loosely(sqlInbox)(new DatabaseSync(':memory:'), { [name]: 0 })).toThrow(
    new RegExp(`${name} must be .*above 0`),
  )
})

it.each(['parkedBodyMs', 'keyMs'])('rejects an inbox with a retention %s of 0', (name) => {
  const retention = { [name]: 0 }
  expect(() => loosely(sqlInbox)(new DatabaseSync(':memory:'), { retention })).toThrow(
    `${name} must be above 0`,
  )
})

it.each([0, -1, Number.NaN])('rejects a dedupe store that remembers deliveries for %d ms', (ttlMs) => {
  const client = { set: async () => null, get: async () => null, eval: async () => 1 }
  for (const make of [
    () => memoryDedupe({ ttlMs }),
    () => memoryDedupe({ maxEntries: ttlMs }),
    () => redisDedupe(client, { ttlMs }),
    () => sqlDedupe(new DatabaseSync(':memory:'), { dialect: 'sqlite', ttlMs }),
  ])
    expect(make).toThrow(/(?:ttlMs|maxEntries) must be above 0/)
})

it('creates the table of an inbox with its keys in one statement on MySQL, and in several elsewhere', () => {
  const mysql = sqlInboxTable({ table: 'shop.inbox', dialect: 'mysql' })
  expect(mysql).toMatch(/KEY inbox_due \(.*KEY inbox_subject \(.*KEY inbox_fact \(.*ENGINE = InnoDB/s)
  expect(mysql).toContain('state varchar(20) CHARACTER SET ascii NOT NULL')
  expect(mysql).not.toContain(';')
  for (const dialect of ['postgresql', 'sqlite', undefined] as const)
    expect(sqlInboxTable({ table: 'shop.inbox', dialect }).split(';')).toHaveLength(4)
  expect(sqlInboxTable()).toBe(sqlInboxTable({ table: 'wabakit_inbox', dialect: 'postgresql' }))
})

it('rejects a pool of fewer than three connections for an inbox', () => {
  const createPools = (limit?: number) => [
    { connect: () => {}, query: () => {}, options: { max: limit } },
    { getConnection: () => {}, execute: () => {}, pool: { config: { connectionLimit: limit } } },
  ]
  for (const pool of createPools(2))
    expect(() => loosely(sqlInbox)(pool)).toThrow('An inbox needs a pool of at least 3 connections')
  for (const pool of [...createPools(3), ...createPools()])
    expect(() => loosely(sqlInbox)(pool)).not.toThrow()
})

it('names each field of a drifted event once', () => {
  const issues = ['callId', 'from'].map((path) => ({ path, message: `${path} must be a string` }))
  const error = new WebhookDriftError('CALL_ENDED', issues, new Uint8Array())
  expect(error.message).toBe(
    'A CALL_ENDED does not match its contract: callId must be a string; from must be a string',
  )
})

it.each([
  [
    new WebhookVerificationError('missing_header', ''),
    'WebhookVerificationError',
    'webhook_verification_failed',
  ],
  [new WebhookParseError('not_json', ''), 'WebhookParseError', 'not_json'],
  [new WebhookRequestError('overloaded', ''), 'WebhookRequestError', 'overloaded'],
  [new WebhookDriftError('CALL_ENDED', [], new Uint8Array()), 'WebhookDriftError', 'drifted'],
  [new WebhookHandlerTimeoutError(5), 'WebhookHandlerTimeoutError', 'handler_timeout'],
])('has a name and a code by which programs recognize the error: %s', (error, name, code) => {
  expect([error.name, error.code]).toEqual([name, code])
})

it('reports the time limit that a handler exceeded', () => {
  expect(String(new WebhookHandlerTimeoutError(5))).toContain('within 5 ms')
})

describe('an adapter that is handed something else', () => {
  it('says that a Fetch request belongs to handle(), and an event of Lambda to its own adapter', async () => {
    const handler = loosely(toNodeHandler(createReceiver({ verify })))
    const request = new Request('https://example.com', { method: 'POST', body: '{}' })
    for (const given of [[request], [request, {}], [{ rawPath: '/', headers: {} }, {}], [undefined, {}]]) {
      await expect(handler(...given)).rejects.toThrow(
        /^toNodeHandler\(\) takes .* Pass a Fetch Request to receiver\.handle\(\).* toLambdaHandler\(\)\.$/,
      )
    }
  })

  it('says that a Fastify plugin is registered, not used as the handler of a route', async () => {
    const plugin = loosely(toFastifyPlugin(createReceiver({ verify })))
    await expect(plugin({ raw: {} }, {})).rejects.toThrow('Pass it to app.register(), not to a route.')
  })
})
