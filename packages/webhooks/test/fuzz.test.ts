import {
  createReceiver,
  isWebhookParseError,
  isWebhookVerificationError,
  parseEvent,
  type RequestFailure,
  signWebhook,
  standardWebhooks,
  unsigned,
  type VerificationFailure,
  verifySignature,
} from '@wabakit/webhooks'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { joined, secret, summary } from './signed.ts'

// Only a few runs by default. For more: WABAKIT_FUZZ_RUNS=100000.
const numRuns = Number(process.env.WABAKIT_FUZZ_RUNS ?? 300)
const timeout = 120_000 + numRuns * 10
const run = { numRuns }

/** JSON that is close to the contract: events with fields removed, added and replaced. */
const nearEvent = fc
  .tuple(
    fc.constantFrom<object>(
      summary,
      joined,
      { event: 'GROUP_CREATED', groupId: 'g' },
      { event: 'CALL_ENDED', callId: 'c' },
    ),
    fc.dictionary(
      fc.constantFrom(
        'event',
        'eventType',
        'callId',
        'groupId',
        'summary',
        'channel',
        'groupCreatedAt',
        '__proto__',
        'x',
      ),
      fc.jsonValue(),
      { maxKeys: 4 },
    ),
  )
  .map(([event, changes]) => JSON.stringify({ ...event, ...changes }))

const encoder = new TextEncoder()
const anyBody = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.string({ unit: 'binary', maxLength: 200 }).map((text) => encoder.encode(text)),
  fc.json().map((text) => encoder.encode(text)),
  nearEvent.map((text) => encoder.encode(text)),
  fc.tuple(nearEvent, fc.nat(), fc.nat(255)).map(([text, at, byte]) => {
    const bytes = encoder.encode(text)
    bytes[at % bytes.length] = byte
    return bytes
  }),
)

const headerText = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.stringMatching(/^\d{1,20}$/),
  fc.stringMatching(/^(v\d?a?,[A-Za-z0-9+/=]{0,44},? ?){0,5}$/),
  fc.constantFrom('v1,', ',', '1e9', '-1', '1.5', '\u00ff', ''),
)
const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const
const anyHeaders = fc.dictionary(
  fc.oneof(
    fc.constantFrom<string>(...names, 'Webhook-Id', 'WEBHOOK-SIGNATURE'),
    fc.string({ maxLength: 20 }),
  ),
  fc.oneof(headerText, fc.array(headerText, { maxLength: 3 }), fc.constant(undefined)),
)

const verificationFailures: readonly VerificationFailure[] = [
  'missing_header',
  'malformed_header',
  'timestamp_too_old',
  'timestamp_too_new',
  'no_matching_signature',
  'invalid_secret',
]
const requestFailures: readonly RequestFailure[] = [
  'body_was_parsed',
  'body_unreadable',
  'not_verified',
  'method_not_allowed',
  'body_timeout',
  'body_too_large',
  'unsupported_media_type',
  'overloaded',
]

it(
  'parseEvent has a typed outcome for any bytes',
  () => {
    fc.assert(
      fc.property(anyBody, (body) => {
        try {
          expect(['event', 'drifted', 'unknown']).toContain(parseEvent(body).kind)
        } catch (error) {
          if (!isWebhookParseError(error)) throw error
          expect(['not_json', 'not_an_object', 'not_utf8', 'too_large']).toContain(error.code)
        }
      }),
      run,
    )
  },
  timeout,
)

it(
  'parseEvent has a typed outcome for any object',
  () => {
    fc.assert(
      fc.property(
        fc.object({ withNullPrototype: true, withBigInt: true, withDate: true, withMap: true }),
        (value) => {
          try {
            expect(['event', 'drifted', 'unknown']).toContain(parseEvent(value).kind)
          } catch (error) {
            if (!isWebhookParseError(error)) throw error
          }
        },
      ),
      run,
    )
  },
  timeout,
)

it(
  'any headers, body and secret make verifySignature reject with a typed error',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        anyHeaders,
        anyBody,
        fc.oneof(fc.constant(secret), fc.string()),
        async (headers, payload, key) => {
          const error = await verifySignature({ headers, payload, secrets: [key] }).catch(
            (thrown: unknown) => thrown,
          )
          if (!isWebhookVerificationError(error)) throw error
          expect(verificationFailures).toContain(error.reason)
        },
      ),
      run,
    )
  },
  timeout,
)

it(
  'any text and any bytes can be verified once they are signed',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), anyBody), async (payload) => {
        const { headers } = await signWebhook({ payload, secret })
        const bytes = typeof payload === 'string' ? encoder.encode(payload) : payload
        for (const form of [payload, bytes]) {
          await verifySignature({ headers, payload: form, secrets: [secret] })
        }
      }),
      run,
    )
  },
  timeout,
)

it(
  'the Standard Webhooks library and this package agree on every delivery that both can read',
  async () => {
    const library = new Webhook(secret)
    const signature = fc.constantFrom(
      'own',
      'v1,AAAA own',
      'own v1a,xyz',
      'v2,own',
      'v1,own',
      'own own',
      'x',
      'OWN',
    )
    const skew = fc.constantFrom(0, 1, 298, 302, 1_000, -298, -302, -1_000)
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme' }),
        signature,
        skew,
        fc.boolean(),
        async (payload, form, ago, tamper) => {
          const timestamp = Math.floor(Date.now() / 1000) - ago
          const { headers } = await signWebhook({ payload, secret, timestamp })
          const own = headers['webhook-signature']
          const sent = {
            ...headers,
            'webhook-signature': form.replaceAll('own', own).replace('OWN', own.toUpperCase()),
          }
          const body = tamper ? `${payload} ` : payload
          const ours = await verifySignature({ headers: sent, payload: body, secrets: [secret] }).then(
            () => true,
            () => false,
          )
          let theirs = true
          try {
            library.verify(body, sent, { jsonParse: false })
          } catch {
            theirs = false
          }
          expect(ours).toBe(theirs)
        },
      ),
      run,
    )
  },
  timeout,
)

it(
  'any request gets a response from the table, and never a 500',
  async () => {
    const receivers = [standardWebhooks({ secrets: [secret] }), unsigned()].map((verify) =>
      createReceiver({ verify, maxBodyBytes: 250 })
        .onAny(() => {})
        .onUnknown(() => {})
        .onError((error) => {
          const { code, reason } = Object(error)
          expect([
            ...verificationFailures,
            ...requestFailures,
            'not_json',
            'not_an_object',
            'not_utf8',
            'drifted',
          ]).toContain(reason ?? code)
        }),
    )
    const method = fc.constantFrom('POST', 'POST', 'POST', 'POST', 'GET', 'PUT', 'DELETE')
    const type = fc.oneof(
      fc.constantFrom('application/json', 'application/json; charset=utf-8', 'text/plain', ''),
      fc.stringMatching(/^[ -~]{0,30}$/),
    )
    await fc.assert(
      fc.asyncProperty(method, anyHeaders, type, anyBody, async (verb, fields, contentType, body) => {
        const headers = new Headers({ 'content-type': contentType })
        for (const [name, value] of Object.entries(fields)) {
          try {
            headers.append(name, String(value))
          } catch {
            // A server could not have received this header.
          }
        }
        const init =
          verb === 'GET' ? { method: verb, headers } : { method: verb, headers, body: new Uint8Array(body) }
        for (const receiver of receivers) {
          const { status } = await receiver.handle(new Request('http://localhost/', init))
          expect([200, 400, 401, 405, 413, 415, 422]).toContain(status)
        }
      }),
      run,
    )
  },
  timeout,
)
