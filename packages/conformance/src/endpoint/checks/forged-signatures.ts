import { type EventName, eventNames } from '@wabakit/contract'
import { swapCase } from '../../swap-case.ts'
import { refusesSignatureOfParsedBody } from '../judge.ts'
import { buildEvent, capitalize, signContent, signDelivery } from '../payloads.ts'
import { isAccepted } from '../send.ts'
import { duplicateHeaders } from './duplicate-headers.ts'
import { refuseOnOtherRoutes } from './forged-routes.ts'
import {
  type ForgedChecks,
  type Forgery,
  otherRoutes,
  refuse,
  sendForgeries,
  withHeader,
  without,
} from './forgery.ts'
import { refuseFromNearby, varyType, writePatterns } from './unproven.ts'

/** Forges a delivery without a signature, an id and a time. */
const unsigned = without('webhook-id', 'webhook-timestamp', 'webhook-signature')

const withSignature = (write: Parameters<typeof withHeader>[1]): Forgery =>
  withHeader('webhook-signature', write)

const signedBy = (key: string | Uint8Array): Forgery =>
  withSignature((genuine) => `v1,${signDelivery(key, genuine)}`)

export const signedByStranger: Forgery = withSignature(
  (genuine, { random }) => `v1,${signDelivery(random.bytes(32), genuine)}`,
)

/** Creates a forgery of an event with this name. Some endpoints verify only the events that they knew when the verification was written. */
const forgeEvent =
  (name: EventName): Forgery =>
  (genuine, examination) => {
    const body = Buffer.from(JSON.stringify(buildEvent(name, genuine.delivery.subject)))
    return { ...signedByStranger({ ...genuine, body }, examination), body }
  }

/** Creates a forgery that is signed with a random secret and spells the header names differently. */
const withNames =
  (rename: (name: string) => string): Forgery =>
  (genuine, examination) => {
    const { headers = {} } = signedByStranger(genuine, examination)
    return {
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [rename(name), value])),
    }
  }

/** Creates a forgery that changes the body without signing it again. */
const withBody =
  (change: (text: string) => string): Forgery =>
  ({ body }) => ({ body: Buffer.from(change(body.toString())) })

const swapOneLetter = (text: string): string => text.replace(/[a-z]/i, (letter) => swapCase(letter))

export const scheme = 'Standard Webhooks 1.0, "Verifying webhook authenticity"'
const compare =
  'Compare the whole signature in constant time, after the lengths, with what your language has for it: crypto.timingSafeEqual, hmac.compare_digest, hash_equals.'

const signedWronglyInV2 = withSignature((_, { random }) => `v2,${random.bytes(32).toString('base64')}`)

const oneCharacter = withSignature(({ signature }) => `v1,${signature.slice(0, 1)}`)

const emptySignatures = refuse(
  {
    'an empty header': withSignature(() => ''),
    'a wrong signature under v2': signedWronglyInV2,
    'a version without a signature': withSignature(() => 'v1,'),
    'a version alone': withSignature(() => 'v1'),
  },
  2,
)

const otherVersions = refuse({
  v2: withSignature(({ signature }) => `v2,${signature}`),
  v1a: withSignature(({ signature }) => `v1a,${signature}`),
  'no version': withSignature(({ signature }) => signature),
})

/** Checks that imitate a sender without the secret, whose deliveries are signed wrongly or not at all. */
export const signatureChecks: ForgedChecks = {
  'refuses-unsigned': {
    title: 'Refuses a delivery without a signature',
    follows: 'refuses-truncated-signature',
    risk: 'A stranger who knows the URL can write into your system.',
    fix: 'Refuse with 401 unless all three webhook- headers are present and the signature matches.',
    ...refuse({
      'no webhook-signature': without('webhook-signature'),
      'no webhook- headers': unsigned,
      'no webhook-id': without('webhook-id'),
      'no webhook-timestamp': without('webhook-timestamp'),
      ...varyType(unsigned),
    }),
  },
  'refuses-wrong-secret': {
    title: 'Refuses a signature made with another secret',
    risk: 'A stranger can sign with a secret of their own and write into your system.',
    fix: 'Compare the signature with the one you compute; the presence of a signature proves nothing.',
    ...refuse({
      'a signature with a random secret': signedByStranger,
      ...writePatterns('the signature', (pattern) => withSignature(() => `v1,${pattern}`)),
      ...Object.fromEntries(eventNames.map((name) => [name, forgeEvent(name)])),
      'an event with an unknown name': (genuine, examination) => {
        const event = buildEvent('CALL_AI_SUMMARY', genuine.delivery.subject)
        const body = Buffer.from(JSON.stringify({ ...event, event: 'TEST' }))
        return { ...signedByStranger({ ...genuine, body }, examination), body }
      },
      'a body in chunks': (genuine, examination) => ({
        ...signedByStranger(genuine, examination),
        parts: [genuine.body],
      }),
      'a request that claims to be a test': (genuine, examination) => {
        const { headers } = signedByStranger(genuine, examination)
        const query = new URLSearchParams(examination.url.search)
        for (const name of ['test', 'debug', 'skip_verification']) query.set(name, 'true')
        return { headers: { ...headers, 'x-test': 'true', 'x-debug': 'true' }, query: `?${query}` }
      },
    }),
  },
  'refuses-tampered-body': {
    title: 'Refuses a body that was changed after it was signed',
    risk: 'A stranger who sees one genuine delivery can send any content with its signature.',
    fix: 'Include the raw body in the signed content that you verify.',
    ...refuse({
      'a changed text': withBody((text) =>
        text.replace(/"(recap|groupName)":"/, '"$1":"Pay +1 202 555 0199. '),
      ),
      'another event': withBody((text) => text.replace(/(?<=event":")/, 'X')),
    }),
  },
  'refuses-appended-body': {
    title: 'Refuses a body that was extended after it was signed',
    risk: 'An attacker appends a second event to a genuine one.',
    fix: 'Verify the whole body, not its first line, chunk or kilobytes.',
    ...refuse({
      'a second object on a new line': withBody((text) => `${text}\n${text}`),
      'a second object far behind': withBody((text) => `${text}${' '.repeat(16_384)}${text}`),
      'a byte of zero': withBody((text) => `${text}\0${text}`),
    }),
  },
  'refuses-swapped-id': {
    title: 'Refuses a signature that belongs to another webhook-id',
    risk: 'One captured delivery can be repeated forever under new ids, past any deduplication.',
    fix: 'Sign and verify `id.timestamp.body`, not the body alone.',
    ...refuse({ 'another id': withHeader('webhook-id', (_, { ids }) => ids.createWebhookId()) }),
  },
  'refuses-swapped-timestamp': {
    title: 'Refuses a signature that belongs to another timestamp',
    risk: 'A delivery captured last year is made fresh by writing a new time into its header.',
    fix: 'Include the timestamp in the signed content that you verify: `id.timestamp.body`.',
    ...refuse({
      'another time': withHeader('webhook-timestamp', ({ timestamp }) => String(Number(timestamp) - 1)),
    }),
  },
  'refuses-truncated-signature': {
    title: 'Refuses the beginning of a signature',
    risk: 'Comparing prefixes lets an attacker guess the signature in a few attempts, or crash the endpoint.',
    fix: `${compare} A comparison of as many characters as were given, such as strncmp(given, expected, strlen(given)) or startsWith, accepts a single one.`,
    ...refuse({
      '1 character of it': oneCharacter,
      '8 characters of it': withSignature(({ signature }) => `v1,${signature.slice(0, 8)}`),
      '40 of its 44 characters': withSignature(({ signature }) => `v1,${signature.slice(0, 40)}`),
      'its first 8 characters, then others': withSignature(
        ({ signature }) => `v1,${signature.slice(0, 8)}${'A'.repeat(35)}=`,
      ),
    }),
  },
  'refuses-empty-signature': {
    title: 'Refuses a webhook-signature in which there is nothing to compare',
    follows: 'refuses-unsigned',
    risk: 'Every stranger can send an empty signature, which passes comparisons such as startsWith, or one of a version that is not compared.',
    fix: `${compare} Refuse a delivery unless a v1 signature matches, also if there is none.`,
    ...emptySignatures,
    run: async (examination) => {
      const finding = await emptySignatures.run(examination)
      if (finding.verdict !== 'fail' || !finding.isPartial) return finding
      // An endpoint that compares as many characters as it was given compares none of an empty signature.
      const because = 'refuses-truncated-signature'
      const shortened = await sendForgeries(examination, { 'one character': oneCharacter })
      return shortened.some(({ exchange }) => isAccepted(exchange))
        ? { ...finding, because, isPartial: false }
        : finding
    },
  },
  'refuses-other-version': {
    title: 'Refuses a correct signature under another version',
    severity: 'medium',
    clause: 'Standard Webhooks 1.0, "Signature scheme": v1 is HMAC-SHA256',
    risk: 'A later version means another scheme; an endpoint that ignores the version can be made to confuse them.',
    fix: 'Use only the parts of webhook-signature that start with `v1,`.',
    ...otherVersions,
    run: async (examination) => {
      const finding = await otherVersions.run(examination)
      if (finding.verdict === 'pass') return finding
      // An endpoint that accepts a wrong one, too, does not ignore the version: it compares no other one.
      const wrong = await sendForgeries(examination, { 'a wrong signature under v2': signedWronglyInV2 })
      const because = 'refuses-empty-signature'
      return wrong.some(({ exchange }) => isAccepted(exchange)) ? { ...finding, because } : finding
    },
  },
  'refuses-changed-case': {
    title: 'Refuses a signature in a different letter case',
    severity: 'medium',
    clause: 'RFC 4648, section 4: base64 is case-sensitive',
    risk: 'Ignoring case makes signatures much easier to guess.',
    fix: compare,
    ...refuse({
      'one letter in the other case': withSignature(({ signature }) => `v1,${swapOneLetter(signature)}`),
    }),
  },
  'refuses-partial-signature': {
    title: 'Refuses a signature over only a part of the delivery',
    severity: 'high',
    clause: 'Standard Webhooks 1.0, "Signature scheme": `id.timestamp.payload` is signed',
    risk: 'A signature of the body alone can be repeated forever, under any id and at any time.',
    fix: 'Remove older schemes; accept only signatures over `id.timestamp.body`.',
    ...refuse({
      'a signature of the body alone': withSignature(({ key, body }) => `v1,${signContent(key, body)}`),
      'a signature of the timestamp and the body': withSignature(
        ({ key, timestamp, body }) => `v1,${signContent(key, `${timestamp}.`, body)}`,
      ),
      'a signature of the id and the timestamp': withSignature(
        ({ key, id, timestamp }) => `v1,${signContent(key, `${id}.${timestamp}.`)}`,
      ),
    }),
  },
  [refusesSignatureOfParsedBody]: {
    title: 'Refuses a signature of the parsed body',
    severity: 'high',
    clause: `${scheme}: the raw payload is signed`,
    risk: 'Two bodies that parse alike are not the same: duplicate keys and rounded numbers pass unsigned.',
    fix: 'Verify the raw body, before any parser: never JSON.stringify(request.body).',
    ...refuse({
      'a signature of the body without its spacing': withBody((text) =>
        JSON.stringify(JSON.parse(text), null, 2),
      ),
    }),
  },
  'refuses-empty-secret': {
    title: 'Refuses a signature made with an empty or common secret',
    risk: 'A missing environment variable, or a default, becomes a secret that every stranger knows.',
    fix: 'Stop at start-up when the secret is missing or empty. Have no default.',
    ...refuse({
      'a signature with an empty secret': signedBy(''),
      // What a missing variable becomes as a text in JavaScript, Java and Python.
      ...Object.fromEntries(
        ['undefined', 'null', 'None'].flatMap((word) => [
          [`a signature with the secret ${word}`, signedBy(word)],
          [`a signature with ${word} as base64`, signedBy(Buffer.from(word, 'base64'))],
        ]),
      ),
      ...Object.fromEntries(
        ['secret', 'test', 'changeme'].map((word) => [`a signature with the secret ${word}`, signedBy(word)]),
      ),
      'a signature with the secret whsec_test': signedBy(Buffer.from('test', 'base64')),
    }),
  },
  'refuses-duplicate-headers': duplicateHeaders,
  'refuses-forgery-in-any-header-case': {
    title: 'Verifies deliveries with header names in any case',
    clause: `${scheme}; RFC 9110, section 5.1: field names are case-insensitive`,
    risk: 'A forgery with the header Webhook-Signature is not verified.',
    fix: 'Look up headers ignoring case, and refuse deliveries without them.',
    ...refuse({
      'capitalized names': withNames(capitalize),
      'names in capitals': withNames((name) => name.toUpperCase()),
    }),
  },
  'refuses-forgery-from-nearby': {
    title: 'Refuses a forgery that claims to come from a trusted address',
    ...refuseFromNearby(signedByStranger),
  },
  [otherRoutes.signature]: {
    title: 'Verifies deliveries whatever their method, query and the spelling of the path',
    risk: 'A router sends PUT, a path with a slash at its end, or one with a query, to the same handler, past the verification.',
    ...refuseOnOtherRoutes(signedByStranger),
  },
  'refuses-secret-in-query': {
    title: 'Refuses a secret in the query instead of a signature',
    follows: 'refuses-unsigned',
    severity: 'high',
    clause: `${scheme}; CWE-598, sensitive information in a query`,
    risk: 'URLs appear in the logs of proxies and analytics. A stranger who reads one can send anything.',
    fix: 'Accept only the signature. Remove the code that takes a secret from the URL.',
    ...refuse(
      Object.fromEntries(
        ['secret', 'token', 'key'].map((name): [string, Forgery] => [
          `?${name}=…`,
          (genuine, examination) => {
            const query = new URLSearchParams(examination.url.search)
            query.set(name, examination.secret ?? '')
            return { ...without('webhook-signature')(genuine, examination), query: `?${query}` }
          },
        ]),
      ),
    ),
  },
}
