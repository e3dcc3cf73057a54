import { randomUUID } from 'node:crypto'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Finding } from '../../report/run-checks.ts'
import type { EndpointChecks } from '../check.ts'
import { buildDelivery, type Examination } from '../examination.ts'
import {
  type Attempt,
  describeAttempts,
  isUnauthorized,
  judgeAccepted,
  judgeHandled,
  refusesSignatureOfParsedBody,
  sendEach,
} from '../judge.ts'
import { buildEvent, capitalize } from '../payloads.ts'
import { type Exchange, isAccepted } from '../send.ts'
import { decode, encodeAll, replaceToken, type UrlToken } from '../url-token.ts'
import { accept, sendSummary, writeRecap } from './accept.ts'

/** Splits a body in the middle of a multibyte character. */
const splitCharacter = (body: Buffer): Buffer[] => {
  const at = body.findIndex((byte) => byte >= 0xc0) + 1
  return [body.subarray(0, at), body.subarray(at)]
}

const splitBodies = {
  'a body in ASCII without Content-Length': sendSummary(
    (event) => ({ ...event, ...writeRecap('Fine.') }),
    (body) => [body],
  ),
  'a body that is split within a character': sendSummary(
    (event) => ({ ...event, ...writeRecap('Grüße') }),
    splitCharacter,
  ),
}

/** Sends a body that is split within a character, and states its length. */
const sendSplitWithLength = async (examination: Examination): Promise<Exchange> => {
  const { subject } = await examination.prepare('CALL_AI_SUMMARY')
  const event = { ...buildEvent('CALL_AI_SUMMARY', subject), ...writeRecap('Grüße') }
  const delivery = buildDelivery(examination, event, subject)
  const headers = { 'content-length': String(delivery.body.length) }
  return examination.deliver(delivery, { headers, parts: splitCharacter(delivery.body) })
}

/** Sends bodies in chunks. If the endpoint demands a Content-Length, sends one that is split within a character with it, too. */
const examineSplitBodies = async (examination: Examination): Promise<Finding> => {
  const send = (bodies: Readonly<Record<string, (each: Examination) => Promise<Exchange>>>) =>
    sendEach(bodies, async (deliver) => ({ exchange: await deliver(examination) }))
  const attempts = await send(splitBodies)
  const needsLength = attempts.filter(({ exchange }) => exchange.status === 411)
  if (needsLength.length === 0) {
    const finding = judgeAccepted(attempts)
    const [whole] = attempts
    return finding.verdict === 'fail' && whole !== undefined && !isAccepted(whole.exchange)
      ? { ...finding, fix: 'Read to the end of the body, also if no Content-Length says where it is.' }
      : finding
  }
  const others = attempts.filter((attempt) => !needsLength.includes(attempt))
  const stated = await send({ 'a body that is split within a character': sendSplitWithLength })
  const finding = judgeAccepted([...others, ...stated])
  if (finding.verdict !== 'pass') return finding
  return {
    verdict: 'advice',
    title: 'Accepts a body without Content-Length',
    observed: describeAttempts(needsLength),
    risk: 'RFC 9112, section 6.3, allows 411. But a sender, or a proxy that passes a body on while it arrives, may send chunks, and states no length: all its deliveries are refused.',
    fix: 'Read chunked bodies, and count their bytes against your limit. Or let the proxy in front of the endpoint collect the body and state its length.',
  }
}

/** Creates a function that sends a summary with several signatures, one of them correct. */
const sendSigned =
  (list: (right: string, wrong: string) => string) =>
  async ({ prepare, sign, send, random }: Examination): Promise<Exchange> => {
    const { headers, body } = await sign(await prepare('CALL_AI_SUMMARY'))
    const signatures = list(headers['webhook-signature'] ?? '', random.bytes(32).toString('base64'))
    return send({ headers: { ...headers, 'webhook-signature': signatures }, body })
  }

const sendWithId =
  (write: (id: string) => string) =>
  async ({ prepare, deliver }: Examination): Promise<Exchange> => {
    const delivery = await prepare('CALL_AI_SUMMARY')
    return deliver({ ...delivery, id: write(delivery.id) })
  }

/** Creates a function that sends a summary to a URL whose token is written differently. */
const sendWithToken =
  (write: (token: UrlToken) => string) =>
  async ({ url, urlToken, prepare, sign, send }: Examination): Promise<Exchange> => {
    const { headers, body } = await sign(await prepare('CALL_AI_SUMMARY'))
    return send({ headers, body, query: urlToken && replaceToken(url, urlToken, [write(urlToken)]) })
  }

/** Sends summaries whose bytes change if some library parses them and serializes them again. */
const sendBytesAsSent = accept({
  'odd spacing': sendSummary((event) => ` ${JSON.stringify(event, undefined, '\t ')}\n`),
  'escaped characters': sendSummary((event) =>
    JSON.stringify(event)
      .replaceAll('/', '\\/')
      .replace(/(?<=:")[A-Za-z](?=[a-z])/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
  ),
  'escaped emoji': sendSummary((event) =>
    JSON.stringify({ ...event, ...writeRecap('Done \u{1f44b}') }).replace(
      /[\ud800-\udfff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16)}`,
    ),
  ),
  'line ends of Windows': sendSummary((event) =>
    JSON.stringify(event, undefined, 2).replaceAll('\n', '\r\n'),
  ),
  'another key order': sendSummary((event) => Object.fromEntries(Object.entries(event).reverse())),
  'characters outside ASCII': sendSummary((event) => ({
    ...event,
    ...writeRecap('Grüße, 你好, \u{1f44b}'),
  })),
  'numbers in another form': sendSummary((event) =>
    JSON.stringify(event).replace(/"durationInSeconds":(\d+)/, '"durationInSeconds":$1.0'),
  ),
})

const uuidLength = 36

const sendInRotation = accept({
  'the current secret': async ({ prepare, deliver }) => deliver(await prepare('CALL_AI_SUMMARY')),
  'the previous secret': async ({ prepare, deliver, previousSecret }) =>
    deliver(await prepare('CALL_AI_SUMMARY'), { secret: previousSecret }),
})

/** Sends a summary whose second signature is that of the previous secret, which an endpoint may compare with the second signature alone. */
const sendPreviousSecond = async ({
  prepare,
  sign,
  send,
  random,
  previousSecret,
}: Examination): Promise<Exchange> => {
  const { headers, body } = await sign(await prepare('CALL_AI_SUMMARY'), { secret: previousSecret })
  const wrong = `v1,${random.bytes(32).toString('base64')}`
  return send({
    headers: { ...headers, 'webhook-signature': `${wrong} ${headers['webhook-signature']}` },
    body,
  })
}

/** Sends ids that are as long as the usual ones, and a UUID. */
const sendIds = accept({
  'an id that is a UUID': sendWithId(() => randomUUID()),
  'an id that begins with evt_': sendWithId((id) => id.replace('msg_', 'evt_')),
  'an id with punctuation': sendWithId((id) => id.replace('_', ':').replace('_', '/').replace('_', '=')),
  'an id of digits': sendWithId((id) =>
    Buffer.from(id).toString('hex').replace(/\D/g, '7').slice(-id.length),
  ),
})

/** Genuine deliveries that are written, signed or sent in another form. */
export const formChecks: EndpointChecks = {
  'accepts-body-bytes-as-sent': {
    title: 'Verifies the bytes as they were sent',
    severity: 'high',
    clause: 'Standard Webhooks 1.0, "Verifying webhook authenticity": the raw payload is signed',
    risk: 'Deliveries fail as soon as the sender serializes its JSON differently, or a customer is called Müller.',
    fix: 'Verify the raw body, before any parser: never JSON.stringify(request.body).',
    ...sendBytesAsSent,
    expected: '2xx, whatever the spacing, escapes, key order, characters and form of numbers',
    run: async (examination) => {
      const finding = await sendBytesAsSent.run(examination)
      const areUnauthorized = examination.exchanges.every((each) => isAccepted(each) || isUnauthorized(each))
      return areUnauthorized ? { ...finding, because: refusesSignatureOfParsedBody } : finding
    },
  },
  'accepts-split-body': {
    title: 'Accepts a chunked body, even one that is split within a character',
    severity: 'medium',
    clause: 'RFC 9112, section 7.1: a body may arrive in chunks of any size',
    risk: 'A delivery is refused if its sender or a proxy states no Content-Length, or if a packet ends within an accented letter.',
    fix: 'Collect the parts of a body as bytes, and decode them once, at its end. In Node.js: Buffer.concat(chunks), not text += chunk.',
    expected: '2xx',
    requests: Object.keys(splitBodies).length,
    run: examineSplitBodies,
  },
  'handles-each-request-of-a-connection': {
    title: 'Handles every delivery that arrives on one connection',
    severity: 'high',
    clause: 'RFC 9112, section 9.3: a connection persists for further requests unless a side closes it',
    expected: '2xx to each genuine delivery and its effect, or the connection closed after a response',
    risk: 'A sender that keeps its connections loses every delivery but the first, or waits for responses in vain.',
    fix: 'Read each request to its end, also when you refuse it, and keep no state per connection; or respond with connection: close.',
    requests: 4,
    run: async (examination) => {
      const { prepare, deliver, sendHostile, url } = examination
      const agent = new (url.protocol === 'https:' ? HttpsAgent : HttpAgent)({
        keepAlive: true,
        maxSockets: 1,
      })
      const sendNext = async (): Promise<Omit<Attempt, 'label'>> => {
        const delivery = await prepare('CALL_AI_SUMMARY')
        const exchange = await deliver(delivery, { agent })
        // An endpoint may close a connection at any time. The sender then opens another.
        const isClosed = exchange.status === undefined && !exchange.timedOut
        return { exchange: isClosed ? await deliver(delivery) : exchange, delivery }
      }
      const sendAfterRefused = async (): Promise<Omit<Attempt, 'label'>> => {
        const { body, subject } = await prepare('CALL_AI_SUMMARY')
        await sendHostile({ headers: { 'content-type': 'application/json' }, body, agent }, subject)
        return sendNext()
      }
      try {
        const deliveries = {
          'the first of a connection': sendNext,
          'the second of a connection': sendNext,
          'one after a forgery': sendAfterRefused,
        }
        return await judgeHandled(examination, await sendEach(deliveries, (send) => send()))
      } finally {
        agent.destroy()
      }
    },
  },
  'accepts-json-with-charset': {
    title: 'Accepts a content type with parameters',
    severity: 'medium',
    clause: 'RFC 9110, section 8.3: a media type may have parameters',
    risk: 'Deliveries fail when the sender, or a proxy, names the character set.',
    fix: 'Compare the media type without its parameters, ignoring case.',
    ...accept({
      ...Object.fromEntries(
        ['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset="UTF-8"'].map(
          (type) => [
            type,
            async ({ prepare, deliver }: Examination) =>
              deliver(await prepare('CALL_AI_SUMMARY'), { headers: { 'content-type': type } }),
          ],
        ),
      ),
    }),
    expected: '2xx, however the type is written',
  },
  'tolerates-clock-difference': {
    title: 'Accepts a delivery from a sender whose clock is a little off',
    severity: 'medium',
    clause:
      'Standard Webhooks 1.0, "Verifying timestamps": a tolerance; docs/is-my-webhook-endpoint-safe.md: 5 minutes',
    expected:
      '2xx to a difference of 10 s in either direction; a difference of 30 s is worth tolerating, too',
    risk: 'All deliveries fail as soon as one of the two clocks drifts, or an attempt waits in a proxy.',
    fix: 'Compare seconds with seconds, and the absolute difference with 300.',
    needs: ['signature'],
    requests: 4,
    run: async (examination) => {
      const sendShifted = async (shiftSeconds: number): Promise<Omit<Attempt, 'label'>> => ({
        exchange: await examination.deliver(await examination.prepare('CALL_AI_SUMMARY'), { shiftSeconds }),
      })
      const near = judgeAccepted(
        await sendEach({ 'a time 10 s ago': -10, 'a time in 10 s': 10 }, sendShifted),
      )
      if (near.verdict !== 'pass') return near
      const far = judgeAccepted(await sendEach({ 'a time 30 s ago': -30, 'a time in 30 s': 30 }, sendShifted))
      // The standard lets the endpoint choose the tolerance, so refusing 30 s is only worth advice.
      return far.verdict === 'fail' ? { ...far, verdict: 'advice' } : far
    },
  },
  'accepts-any-webhook-id': {
    title: 'Accepts webhook-ids in any form',
    severity: 'high',
    clause: 'Standard Webhooks 1.0, "Webhook headers": webhook-id is a unique identifier, without a format',
    risk: 'The examples of one sender begin with msg_, those of the next do not, and all its deliveries are refused.',
    fix: 'Take webhook-id as text of any length: check that it is there, not how it is spelled.',
    needs: ['signature'],
    ...sendIds,
    run: async (examination) => {
      const finding = await sendIds.run(examination)
      // A UUID is longer than the other ids, so only its length may have been refused.
      const areLong = examination.exchanges.every(
        (each) => isAccepted(each) || String(each.request.headers['webhook-id']).length === uuidLength,
      )
      return areLong ? { ...finding, because: 'handles-ids-that-begin-alike' } : finding
    },
  },
  'accepts-any-header-case': {
    title: 'Accepts header names in any case',
    severity: 'medium',
    clause: 'RFC 9110, section 5.1: field names are case-insensitive',
    risk: 'Deliveries fail when a proxy writes Webhook-Id instead of webhook-id.',
    fix: 'Look up headers ignoring case.',
    ...accept({
      'capitalized header names': async ({ prepare, sign, send }) => {
        const { headers, body } = await sign(await prepare('CALL_AI_SUMMARY'))
        const renamed = Object.entries(headers).map(([name, value]) => [capitalize(name), value])
        return send({ headers: Object.fromEntries(renamed), body })
      },
    }),
  },
  'accepts-encoded-token': {
    title: 'Decodes the token in its URL once',
    severity: 'medium',
    clause: 'RFC 3986, section 6.2.2.2: a letter and its percent-encoding are the same; decision 0061',
    risk: 'All deliveries fail when the sender, or a proxy, writes the registered URL in another form.',
    fix: 'Decode the name and the value of the parameter exactly once, then compare.',
    needs: ['url-token'],
    ...accept({
      'every character of the token encoded': sendWithToken(
        ({ parameter, decoded }) => `${parameter}=${encodeAll(decoded)}`,
      ),
      'the same in capitals': sendWithToken(
        ({ parameter, decoded }) => `${parameter}=${encodeAll(decoded).toUpperCase()}`,
      ),
      'the name of the parameter encoded': sendWithToken(
        ({ parameter, encoded }) => `${encodeAll(decode(parameter))}=${encoded}`,
      ),
    }),
    expected: '2xx, however the token is encoded',
  },
  'accepts-either-secret-in-rotation': {
    title: 'Accepts the previous secret during a rotation',
    severity: 'high',
    clause: 'Standard Webhooks 1.0, "Secret rotation"',
    risk: 'Deliveries fail between the moment the secret changes here and the moment it changes there.',
    fix: 'Keep a list of secrets, and accept a signature made with any of them.',
    needs: ['signature', 'previous-secret'],
    ...sendInRotation,
    expected: '2xx to either secret',
    run: async (examination) => {
      const finding = await sendInRotation.run(examination)
      if (finding.verdict !== 'fail' || !isAccepted(await sendPreviousSecond(examination))) return finding
      return { ...finding, because: 'accepts-multiple-signatures' }
    },
  },
  'accepts-multiple-signatures': {
    title: 'Accepts a delivery with several signatures, one of them correct',
    severity: 'high',
    clause: 'Standard Webhooks 1.0, "Webhook headers": a space-delimited list of signatures',
    risk: 'Deliveries fail while the sender rotates its secret, or when it adds a new signature scheme.',
    fix: 'Split webhook-signature at spaces, and accept when any v1 signature matches any secret, wherever it stands.',
    needs: ['signature'],
    ...accept({
      'a wrong one before it': sendSigned((right, wrong) => `v1,${wrong} ${right}`),
      'a wrong one after it': sendSigned((right, wrong) => `${right} v1,${wrong}`),
      'two wrong ones before it': sendSigned((right, wrong) => `v1,${wrong} v1,${wrong} ${right}`),
      'another version before it': sendSigned((right, wrong) => `v1a,${wrong} ${right}`),
      'another version after it': sendSigned((right, wrong) => `${right} v1a,${wrong}`),
    }),
    expected: '2xx, at any position of the correct signature',
  },
}
