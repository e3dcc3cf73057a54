import { createRandom } from '../src/seeded-random.ts'
import { createVerify, header, previousSecret, secret, sign, toKey } from './endpoint.ts'
import { seed } from './examine.ts'
import { describeFlaws, type Flaw } from './flaws.ts'

const everythingForged = [
  'refuses-unsigned',
  'refuses-wrong-secret',
  'refuses-tampered-body',
  'refuses-swapped-id',
  'refuses-swapped-timestamp',
  'refuses-captured-delivery',
  'refuses-forgery-in-any-header-case',
  'refuses-forgery-from-nearby',
  'refuses-forgery-on-other-routes',
  'refuses-truncated-signature',
  'refuses-empty-signature',
  'refuses-other-version',
  'refuses-changed-case',
  'refuses-partial-signature',
  'refuses-signature-of-parsed-body',
  'refuses-empty-secret',
  'refuses-duplicate-headers',
  'survives-forged-claim',
  'refuses-stale-timestamp',
  'refuses-future-timestamp',
  'survives-large-headers',
]

const verifyWith = (...mistakes: Parameters<typeof createVerify>) => ({ verify: createVerify(...mistakes) })

const cutSecondDocument = (body: Buffer): Buffer => {
  const at = body.indexOf('\n{"')
  return at === -1 ? body : body.subarray(0, at)
}

/** Draws the secret that refuses-wrong-secret signs with, which is the first random draw. */
const drawWrongSecret = (): Buffer => createRandom(seed).bytes(32)

const flaws: Record<string, Flaw> = {
  'verifies nothing': {
    plant: () => ({ verify: () => undefined }),
    isExaminedByAll: true,
    fail: [...everythingForged, 'refuses-secret-in-query'],
    advice: ['refuses-malformed-timestamp', 'refuses-rewritten-timestamp'],
  },
  'verifies only JSON, and reads the fields of forms as well': {
    plant: ({ right }) => ({
      verify: (incoming) =>
        incoming.body.toString().startsWith('event=') ? undefined : right.verify(incoming),
      parse: (body) => {
        const form = new URLSearchParams(body.toString())
        if (!form.has('event')) return right.parse(body)
        const summary = { recap: form.get('summary[recap]') }
        return { event: form.get('event'), callId: form.get('callId'), summary }
      },
      validate: ({ event, summary }) =>
        event === 'CALL_AI_SUMMARY' && typeof (summary as { recap?: unknown } | null)?.recap !== 'string'
          ? 'no recap'
          : undefined,
    }),
    fail: ['refuses-unsigned'],
  },
  'verifies only events that it knows': {
    plant: ({ right }) => ({
      verify: (incoming) =>
        /"event":"(?:CALL|GROUP)_/.test(incoming.body.toString()) ? right.verify(incoming) : undefined,
    }),
    fail: ['refuses-wrong-secret'],
    options: { only: ['refuses-wrong-secret'] },
  },
  'responds to unknown events before it verifies': {
    plant: ({ right }) => ({
      verify: (incoming) => (incoming.body.includes('"event":"X') ? undefined : right.verify(incoming)),
    }),
    fail: ['refuses-tampered-body'],
  },
  'verifies only the first of several JSON texts': {
    plant: ({ right }) => ({
      ...verifyWith({ body: cutSecondDocument }),
      parse: (body) => right.parse(cutSecondDocument(body)),
    }),
    fail: ['refuses-appended-body'],
  },
  'compares the first 8 characters': {
    plant: () =>
      verifyWith({
        compare: (given, expected) => given.length >= 8 && given.slice(0, 8) === expected.slice(0, 8),
      }),
    fail: ['refuses-truncated-signature'],
  },
  'takes the signature for a pattern, like an unquoted word in bash': {
    plant: () => verifyWith({ compare: (given, expected) => given === expected || given === '*' }),
    fail: ['refuses-wrong-secret'],
  },
  'ignores case in comparisons': {
    plant: () => verifyWith({ compare: (given, expected) => given.toLowerCase() === expected.toLowerCase() }),
    fail: ['refuses-changed-case'],
  },
  'ignores the version of a signature': {
    plant: () => verifyWith({ split: (text) => text.split(' ').map((part) => part.split(',').at(-1) ?? '') }),
    fail: ['refuses-other-version'],
  },
  'reads only two signatures': {
    plant: () => ({
      verify: createVerify({
        split: (text) =>
          text
            .split(' ')
            .slice(0, 2)
            .flatMap((part) => (part.startsWith('v1,') ? [part.slice(3)] : [])),
      }),
    }),
    fail: ['accepts-multiple-signatures'],
  },
  'throws on many signatures': {
    plant: () =>
      verifyWith({
        split: (text) => {
          const parts = text.split(' ')
          if (parts.length > 100) throw new Error('too many')
          return parts.flatMap((part) => (part.startsWith('v1,') ? [part.slice(3)] : []))
        },
      }),
    fail: ['survives-large-headers'],
  },
  'has a tolerance of ten minutes': {
    plant: () =>
      verifyWith({ isTimely: (timestamp) => Math.abs(Date.now() / 1000 - Number(timestamp)) < 600 }),
    fail: ['refuses-stale-timestamp', 'refuses-future-timestamp'],
    advice: ['refuses-malformed-timestamp'],
  },
  'signs the parsed timestamp': {
    plant: () => verifyWith({ content: (id, timestamp) => `${id}.${Number(timestamp)}.` }),
    fail: [],
    advice: ['refuses-rewritten-timestamp'],
  },
  'reads the timestamp with parseInt': {
    plant: () =>
      verifyWith({
        isTimely: (timestamp) => Math.abs(Date.now() / 1000 - Number.parseInt(timestamp, 10)) < 300,
      }),
    fail: [],
    advice: ['refuses-malformed-timestamp'],
  },
  'accepts a signed timestamp that is a second later': {
    plant: ({ right }) => ({
      verify: (incoming) => {
        const { headers } = incoming.request
        const timestamp = header(incoming.request, 'webhook-timestamp')
        const reason = right.verify(incoming)
        if (reason === undefined) return undefined
        headers['webhook-timestamp'] = String(Number(timestamp) + 1)
        return right.verify(incoming)
      },
    }),
    fail: ['refuses-swapped-timestamp'],
  },
  'also accepts a signature of the body alone': {
    plant: ({ right }) => ({
      verify: (incoming) => {
        const given = header(incoming.request, 'webhook-signature').replace('v1,', '')
        const isLegacy = given === sign(toKey(secret), '', incoming.body)
        return isLegacy ? undefined : right.verify(incoming)
      },
    }),
    fail: ['refuses-partial-signature'],
  },
  'accepts a secret that an attacker knows': {
    plant: () => verifyWith({ secrets: [toKey(secret), toKey(previousSecret), drawWrongSecret()] }),
    fail: ['refuses-wrong-secret'],
  },
  'accepts a signed id with a lower number': {
    plant: ({ right }) => ({
      verify: (incoming) => {
        const { headers } = incoming.request
        const reason = right.verify(incoming)
        if (reason === undefined) return undefined
        headers['webhook-id'] = header(incoming.request, 'webhook-id').replace(/(?<=_)\d{5}(?=_)/, (digits) =>
          String(Number(digits) - 1).padStart(5, '0'),
        )
        return right.verify(incoming)
      },
    }),
    fail: ['refuses-swapped-id'],
  },
  'treats a missing previous secret as an empty one': {
    plant: () => verifyWith({ secrets: [toKey(secret), toKey(previousSecret), Buffer.alloc(0)] }),
    fail: ['refuses-empty-secret'],
  },
  'treats a missing previous secret as the string undefined': {
    plant: () => verifyWith({ secrets: [toKey(secret), toKey(previousSecret), 'undefined'] }),
    fail: ['refuses-empty-secret'],
  },
  'supports only one secret': {
    plant: () => verifyWith({ secrets: [toKey(secret)] }),
    fail: ['accepts-either-secret-in-rotation'],
  },
  'uses the first of repeated headers': {
    plant: ({ right }) => ({
      verify: ({ request, body }) => {
        for (const [name, values] of Object.entries(request.headersDistinct)) {
          if (name.startsWith('webhook-')) request.headers[name] = values?.[0]
        }
        return right.verify({ request, body })
      },
    }),
    fail: [],
    options: { only: ['refuses-duplicate-headers'] },
  },
  'verifies the first of repeated headers and remembers the last': {
    plant: ({ effects, right }) => {
      const seen = new Set<string | undefined>()
      let last: string | undefined
      return {
        verify: ({ request, body }) => {
          const { 'webhook-id': ids = [] } = request.headersDistinct
          last = ids.at(-1)
          const headers = Object.assign(request.headers, { 'webhook-id': ids[0] })
          return right.verify({ request: Object.assign(request, { headers }), body })
        },
        isDuplicate: () => seen.size === seen.add(last).size,
        handle: (event) => void effects.push(`${event.event} ${event.callId ?? event.groupId}`),
      }
    },
    fail: ['refuses-duplicate-headers'],
    advice: ['handles-same-event-under-new-id-once'],
  },
  'reads the body as text, chunk by chunk': {
    plant: () => ({
      read: async (request) => {
        let text = ''
        for await (const chunk of request) {
          text += chunk
          if (text.length > 1_048_576) break
        }
        return Buffer.from(text)
      },
    }),
    fail: ['accepts-split-body'],
  },
  "decodes Python's None as the previous secret": {
    plant: () => verifyWith({ secrets: [toKey(secret), Buffer.from('None', 'base64')] }),
    fail: ['refuses-empty-secret'],
    options: { previousSecret: undefined },
  },
  'has a default secret': {
    plant: () => verifyWith({ secrets: [toKey(secret), toKey(previousSecret), 'changeme'] }),
    fail: ['refuses-empty-secret'],
    options: { only: ['refuses-empty-secret'] },
  },
  'reads signatures only up to an unknown version': {
    plant: () =>
      verifyWith({
        split: (text) =>
          / (?!v1,)/.test(text) ? [] : [...text.matchAll(/v1,(\S+)/g)].map(([, each = '']) => each),
      }),
    fail: ['accepts-multiple-signatures'],
    options: { only: ['accepts-multiple-signatures'] },
  },
  'reads as many bytes as Content-Length says': {
    plant: ({ right }) => ({
      read: async (request) =>
        (await right.read(request)).subarray(0, Number(request.headers['content-length'] ?? 0)),
    }),
    fail: ['accepts-split-body'],
  },
  'normalizes line ends before it verifies': {
    plant: () =>
      verifyWith({ body: (body) => Buffer.from(body.toString('latin1').replaceAll('\r\n', '\n'), 'latin1') }),
    fail: ['accepts-body-bytes-as-sent'],
  },
  'accepts times in milliseconds': {
    plant: () =>
      verifyWith({
        isTimely: (timestamp) => {
          const seconds = /^\d{13}$/.test(timestamp) ? Number(timestamp) / 1_000 : Number(timestamp)
          return /^\d+$/.test(timestamp) && Math.abs(Date.now() / 1_000 - seconds) < 300
        },
      }),
    fail: [],
    advice: ['refuses-malformed-timestamp'],
  },
  'prints the expected digest in hexadecimal': {
    plant: ({ right }) => ({
      verify: (incoming) => {
        const { request, body } = incoming
        const head = `${header(request, 'webhook-id')}.${header(request, 'webhook-timestamp')}.`
        const digest = Buffer.from(sign(toKey(secret), head, body), 'base64').toString('hex')
        return right.verify(incoming) && `expected ${digest}`
      },
    }),
    seenBy: ['refuses-wrong-secret'],
    fail: ['keeps-secrets-out-of-answers'],
  },
  'handles a delivery before it verifies': {
    plant: ({ right }) => ({
      verify: (incoming) => {
        try {
          right.handle(JSON.parse(incoming.body.toString()), '')
        } catch {
          // It is handled again below.
        }
        return right.verify(incoming)
      },
    }),
    seenBy: ['refuses-wrong-secret'],
    fail: ['handles-nothing-it-refuses'],
  },
}

describeFlaws('an endpoint that makes one mistake in verifying is caught for it, and for nothing else', flaws)
