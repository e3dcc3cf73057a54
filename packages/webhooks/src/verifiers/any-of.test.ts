import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  anyOf,
  basicAuth,
  bearerAuth,
  createReceiver,
  type DeliveryContext,
  generateSecret,
  signWebhook,
  sqlInbox,
  standardWebhooks,
  unsigned,
  urlToken,
  type Verifier,
} from '../index.ts'

const token = '0123456789abcdef'
const secret = generateSecret()
const payload = JSON.stringify({ event: 'GROUP_PARTICIPANT_JOINED', groupId: 'g-1' })
const bearer = { authorization: 'Bearer t0ken' }

const byUrl = urlToken({ token })
const byBearer = bearerAuth({ token: 't0ken' })
const bySignature = standardWebhooks({ secrets: [secret] })

type Sent = { readonly query?: string; readonly headers?: Record<string, string>; readonly parsed?: boolean }

const toRequest = ({ query = '', headers = {} }: Sent) =>
  new Request(`http://localhost/${query}`, {
    method: 'POST',
    body: payload,
    headers: { 'content-type': 'application/json', ...headers },
  })

const send = async (verify: Verifier, sent: Sent) => {
  const contexts: DeliveryContext[] = []
  const errors: unknown[] = []
  const receiver = createReceiver({ verify })
    .onAny((_, context) => contexts.push(context))
    .onError((error) => errors.push(error))
  const request = toRequest(sent)
  const parsed = sent.parsed && { request, body: await request.json() }
  const response = await (parsed ? receiver.handle(parsed) : receiver.handle(request))
  const [context] = contexts
  return {
    status: response.status,
    code: response.status === 200 ? undefined : (await response.json()).code,
    verifiedBy: context?.verifiedBy,
    id: context?.delivery.id,
    at: context?.attempt.at,
    error: errors[0] as { message: string; refusals: { scheme: string; reason: string }[] },
  }
}

const sign = async (timestamp = Math.floor(Date.now() / 1_000)) =>
  (await signWebhook({ payload, secret, id: 'msg_1', timestamp })).headers

describe('anyOf', () => {
  it('lists every verifier that accepts, whatever the order, and takes id and time from the signature', async () => {
    const headers = { ...(await sign()), ...bearer }
    const at = new Date(Number(headers['webhook-timestamp']) * 1_000)
    const query = `?token=${token}`
    expect(await send(anyOf(byUrl, byBearer, bySignature), { query, headers })).toMatchObject({
      ...{ status: 200, id: 'msg_1', at },
      verifiedBy: ['urlToken', 'bearerAuth', 'standardWebhooks'],
    })
    expect(await send(anyOf(bySignature, byUrl), { query, headers })).toMatchObject({
      ...{ status: 200, id: 'msg_1', at },
      verifiedBy: ['standardWebhooks', 'urlToken'],
    })
    expect(await send(anyOf(bySignature, byUrl), { headers })).toMatchObject({
      verifiedBy: ['standardWebhooks'],
    })
    expect(await send(anyOf(anyOf(byUrl, bySignature), byBearer), { query, headers })).toMatchObject({
      id: 'msg_1',
      verifiedBy: ['urlToken', 'standardWebhooks', 'bearerAuth'],
    })
  })

  it('takes no id and no time from headers whose signature does not match', async () => {
    const forged = { ...(await sign()), 'webhook-id': 'msg_2' }
    const sent = { query: `?token=${token}`, headers: { ...forged, ...bearer } }
    const verifiers = [
      anyOf(byUrl, bySignature),
      anyOf(bySignature, byUrl),
      anyOf(anyOf(byUrl, bySignature), byBearer),
      anyOf(byBearer, anyOf(bySignature)),
    ]
    for (const verify of verifiers) {
      expect(await send(verify, sent)).toMatchObject({ status: 200, id: undefined, at: undefined })
    }
  })

  it('takes id and time from the headers, as each verifier does alone, if none looks at the body', async () => {
    const sent = {
      query: `?token=${token}`,
      headers: { 'webhook-id': 'msg_3', 'webhook-timestamp': '1800000000' },
    }
    const expected = { id: 'msg_3', at: new Date(1_800_000_000_000) }
    expect(await send(byUrl, sent)).toMatchObject(expected)
    expect(await send(anyOf(byUrl, byBearer), sent)).toMatchObject(expected)
  })

  it('accepts nothing that half of one and half of another accept', async () => {
    // Well-formed headers of a signature pass the first check only.
    const headers = { ...(await sign()), 'webhook-signature': 'v1,AAAA' }
    expect(await send(anyOf(byUrl, bySignature), { headers })).toMatchObject({
      ...{ status: 401, code: 'no_matching_signature' },
      error: {
        refusals: [
          { scheme: 'urlToken', reason: 'missing_token' },
          { scheme: 'standardWebhooks', reason: 'no_matching_signature' },
        ],
      },
    })
  })

  it.each<[string, string, Sent]>([
    ['missing_token', 'missing_token,missing_header', {}],
    ['wrong_token', 'wrong_token,missing_header', { query: '?token=x' }],
    [
      'no_matching_signature',
      'missing_token,no_matching_signature',
      { headers: { authorization: 'Bearer x' } },
    ],
  ])('responds %s, and reports %s', async (code, reasons, sent) => {
    const { status, code: responded, error } = await send(anyOf(byUrl, byBearer), sent)
    expect([status, responded]).toEqual([401, code])
    expect(error.refusals.map(({ reason }) => reason).join()).toBe(reasons)
    expect(error.message).toMatch(/^urlToken: The .+ bearerAuth: The header authorization /)
  })

  it('responds 503 if the credentials that were sent cannot be checked', async () => {
    const failing = bearerAuth({ token: () => Promise.reject(new Error('down')) })
    const verify = anyOf(byUrl, failing)
    expect(await send(verify, { headers: bearer, query: '?token=x' })).toMatchObject({ status: 503 })
    expect(await send(verify, { query: '?token=x' })).toMatchObject({ status: 401 })
    expect(await send(verify, { headers: bearer, query: `?token=${token}` })).toMatchObject({
      ...{ status: 200, verifiedBy: ['urlToken'] },
    })
  })

  it('shows a parsed body only to verifiers that do not need its bytes', async () => {
    const own = vi.fn(() => true)
    const verify = anyOf(byUrl, bySignature, own)
    const headers = await sign()
    expect(await send(verify, { query: `?token=${token}`, headers, parsed: true })).toMatchObject({
      ...{ status: 200, verifiedBy: ['urlToken'], id: undefined },
    })
    expect(await send(verify, { headers, parsed: true })).toMatchObject({
      ...{ status: 400, code: 'body_was_parsed' },
      error: {
        refusals: [
          { scheme: 'urlToken', reason: 'missing_token' },
          { scheme: 'standardWebhooks', reason: 'body_was_parsed' },
          { scheme: 'function', reason: 'body_was_parsed' },
        ],
      },
    })
    expect(own).not.toHaveBeenCalled()
    expect(await send(anyOf(bySignature), { headers, parsed: true })).toMatchObject({
      ...{ status: 400, code: 'body_was_parsed' },
    })
  })

  it('combines functions, which accept only by returning true', async () => {
    const named = Object.assign(() => true, { scheme: 'vendor' })
    const refuse = [
      () => false,
      () => 1 as never,
      () => ({ verifiedBy: [] }) as never,
      () => Promise.reject(new Error('hunter2')),
    ]
    expect(await send(anyOf(...refuse, named), {})).toMatchObject({ status: 200, verifiedBy: ['vendor'] })
    const { status, code, error } = await send(anyOf(...refuse), {})
    expect([status, code]).toEqual([401, 'not_verified'])
    expect(error.message).not.toContain('hunter2')
  })

  it('rejects before the body is read if all of its verifiers can', async () => {
    const pull = vi.fn()
    const body = new ReadableStream({ pull }, { highWaterMark: 0 })
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit
    const verify = anyOf(byUrl, byBearer, bySignature, basicAuth({ username: 'u', password: 'p' }))
    const receiver = createReceiver({ verify }).onError(() => {})
    expect((await receiver.handle(new Request('http://localhost/?token=x', init))).status).toBe(401)
    expect(pull).not.toHaveBeenCalled()
  })

  it('cannot be created without verifiers, or with unsigned()', () => {
    for (const create of [
      () => anyOf(),
      () => anyOf(byUrl, undefined as never),
      () => anyOf(byUrl, unsigned()),
      () => anyOf(anyOf(byUrl), unsigned()),
    ]) {
      expect(create).toThrow(expect.objectContaining({ name: 'WebhookUsageError' }))
    }
  })

  it('is remembered by an inbox, which stores no URL and no credentials', async () => {
    const database = new DatabaseSync(':memory:')
    onTestFinished(() => database.close())
    const inbox = sqlInbox(database, { dialect: 'sqlite' })
    const seen: unknown[] = []
    const receiver = createReceiver({ verify: anyOf(byUrl, byBearer), inbox }).onAny(
      (_, { verifiedBy, headers }) => seen.push([verifiedBy, [...headers]]),
    )
    await receiver.handle(toRequest({ query: `?token=${token}`, headers: { ...bearer, 'verified-by': 'x' } }))
    expect(JSON.stringify(database.prepare('SELECT * FROM wabakit_inbox').all())).not.toMatch(
      /0123456789|t0ken/,
    )
    await receiver.accept(payload, { id: 'a' })
    await receiver.drain()
    expect(seen).toEqual([
      [['urlToken', 'bearerAuth'], [['content-type', 'application/json']]],
      [[], []],
    ])
  })
})
