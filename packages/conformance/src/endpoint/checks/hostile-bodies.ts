import { EffectsError } from '../../errors.ts'
import type { Finding } from '../../report/run-checks.ts'
import type { EndpointCheck, EndpointChecks } from '../check.ts'
import { buildDelivery, type Examination } from '../examination.ts'
import {
  type Attempt,
  deliverAtOnce,
  describeAttempts,
  describeResponse,
  explainShield,
  isFailure,
  judgeRefused,
  judgeSurvived,
  refusesWithoutFailing,
  sendEach,
} from '../judge.ts'
import { buildEvent } from '../payloads.ts'
import { isAccepted, isLimited, isShielded } from '../send.ts'

/** Sends correctly signed bodies, so that an endpoint cannot refuse them because of the signature. */
const sendBodies = async (
  examination: Examination,
  bodies: Readonly<Record<string, (subject: string) => Buffer>>,
): Promise<Attempt[]> =>
  sendEach(bodies, async (write) => {
    const { subject } = await examination.prepare()
    const delivery = buildDelivery(examination, write(subject), subject)
    const { headers, body } = await examination.sign(delivery)
    return { exchange: await examination.sendHostile({ headers, body }, subject), delivery }
  })

/**
 * Creates a check whose signed bodies must be refused, or set aside. An endpoint that stores every body and responds 200 is right, if
 * nothing is handled, which only effects can show.
 */
const refuseBodies = (
  fix: string,
  bodies: Parameters<typeof sendBodies>[1],
): Pick<EndpointCheck, 'expected' | 'requests' | 'fix' | 'run'> => ({
  expected: '4xx',
  fix,
  requests: Object.keys(bodies).length,
  run: async (examination) => {
    const finding = await judgeRefused(examination, await sendBodies(examination, bodies))
    if (finding.verdict === 'advice') {
      const risk = 'The sender takes the body for handled, and no one learns that it was not.'
      return { ...finding, risk, fix: 'Respond 400, or report what is set aside.' }
    }
    const mayBeInbox = finding.verdict === 'fail' && finding.because === undefined
    const { stuck, effectsProblem } = examination.knowledge
    if (mayBeInbox && stuck !== undefined) {
      return { verdict: 'inconclusive', observed: `${finding.observed}; ${effectsProblem}` }
    }
    if (!mayBeInbox || examination.knowledge.effectName !== undefined) return finding
    const inbox =
      'An inbox stores it and responds 200: then pass --effects, which shows that nothing was handled.'
    return { ...finding, fix: `${fix} ${inbox}` }
  },
})

const writeSummary = (subject: string, change: object = {}): Buffer =>
  Buffer.from(JSON.stringify({ ...buildEvent('CALL_AI_SUMMARY', subject), ...change }))

const splitInTen = (body: Buffer): Buffer[] => {
  const size = Math.ceil(body.length / 10)
  return Array.from({ length: 10 }, (_, at) => body.subarray(at * size, (at + 1) * size))
}

/** Inserts invalid UTF-8 into a string. */
const spoilText = (body: Buffer): Buffer => {
  const at = body.indexOf('"recap":"') + '"recap":"'.length
  return Buffer.concat([body.subarray(0, at), Buffer.from([0xc3, 0x28, 0xff]), body.subarray(at)])
}

/** Serializes a summary with further members, as text: in an object literal, `__proto__` would set the prototype. */
const writeWith = (subject: string, members: string): Buffer =>
  Buffer.from(`{${members},${writeSummary(subject).toString().slice(1)}`)

/**
 * Judges a large body that was neither refused nor accepted. Only an effect proves that the endpoint has read it: what was
 * sent may be in the buffers of the network or of a proxy.
 */
const judgeHeld = async (examination: Examination, attempt: Attempt): Promise<Finding> => {
  const { delivery } = attempt
  const observed = describeAttempts([attempt])
  const survived = await judgeSurvived(examination, observed)
  if (survived.verdict !== 'pass') return survived
  const isHandled = delivery !== undefined && (await examination.isHandled(delivery))
  return isHandled
    ? { verdict: 'fail', observed: `${observed}, which was handled` }
    : { verdict: 'inconclusive', observed: `${observed}; it may have read all of it` }
}

/** Summaries whose fields have other types. */
const wrongTypes: Readonly<Record<string, (subject: string) => Buffer>> = {
  'summary: null': (subject) => writeSummary(subject, { summary: null }),
  'callId: 42': (subject) => writeSummary(subject, { callId: 42, note: subject }),
  'event: {}': (subject) => writeSummary(subject, { event: {} }),
}

/**
 * Sends genuine events at the same time as malformed ones that the endpoint accepts. A worker that handles several events in one
 * transaction may undo all of them because of one.
 */
const findLostNeighbors = async (
  examination: Examination,
  malformed: readonly string[],
): Promise<Finding | undefined> => {
  const { prepare, deliver, countNeverHandled, knowledge, ids, limits, clock } = examination
  const [first, last] = [await prepare(), await prepare()]
  const others = malformed.map((label) => {
    const subject = ids.createSubject()
    return buildDelivery(examination, wrongTypes[label]?.(subject) ?? '', subject)
  })
  const { accepted } = await deliverAtOnce(examination, [first, ...others, last])
  const acceptedAt = clock.now()
  const neighbors = [first, last].filter((delivery) => accepted.includes(delivery))
  if ((await countNeverHandled(neighbors)) === 0) return undefined
  // A worker that takes one event after another may still be trying to handle the malformed ones.
  const later = await prepare()
  const isBehind = !isAccepted(await deliver(later)) || (await countNeverHandled([later])) > 0
  // It may also wait before it tries again.
  const lost = await countNeverHandled(neighbors, limits.retryMs)
  if (lost === 0) return undefined
  const seconds = Math.round((clock.now() - acceptedAt) / 1_000)
  const observed = `${neighbors.length} genuine events accepted at the same time as ${malformed.join(', ')}, ${lost} of them without an effect after ${seconds} s`
  if (!isBehind) return { verdict: 'fail', observed, because: knowledge.lossAtOnce }
  knowledge.leftOpen = true
  return { verdict: 'inconclusive', observed: `${observed}; nor has a later event: is its worker stuck?` }
}

export const hostileBodyChecks: EndpointChecks = {
  'refuses-oversized-body': {
    title: 'Refuses a body that is far too large',
    severity: 'high',
    clause: 'RFC 9110, section 15.5.14: 413; events have a few kilobytes',
    expected: '413 or another 4xx, or the connection closed',
    risk: 'A few requests with huge bodies fill the memory, and the process dies while handling deliveries.',
    fix: 'Stop reading at a limit, such as 1 MiB, and respond 413.',
    requests: 3,
    run: async (examination) => {
      const send = async (label: string, split: (body: Buffer) => Buffer[] | undefined): Promise<Attempt> => {
        const { subject } = await examination.prepare()
        const body = writeSummary(subject, { padding: 'x'.repeat(examination.limits.oversizedBytes) })
        const delivery = buildDelivery(examination, body, subject)
        const { headers } = await examination.sign(delivery)
        const request = { headers, body, parts: split(body) }
        const exchange = await examination.sendHostile(request, subject, examination.limits.responseMs)
        return { label: `${Math.round(body.length / 1_048_576)} MiB${label}`, exchange, delivery }
      }
      const whole = await send('', () => undefined)
      // A second body that it keeps might make its effects too long to be read by the other checks.
      if (isAccepted(whole.exchange)) {
        return judgeRefused(examination, [whole]).catch((error: unknown): Finding => {
          if (!(error instanceof EffectsError)) throw error
          // The effects may be unreadable because the endpoint keeps this body.
          return { verdict: 'fail', observed: `${describeAttempts([whole])}; then ${error.message}` }
        })
      }
      if (whole.exchange.timedOut && whole.exchange.status === undefined) return judgeHeld(examination, whole)
      const chunked = await send(' in chunks', splitInTen)
      const attempts = [whole, chunked]
      const observed = describeAttempts(attempts)
      // Few genuine senders send chunks, and a proxy in front of the endpoint may limit them.
      if (isAccepted(chunked.exchange)) {
        const fix =
          'Count the bytes as they arrive, because a body in chunks states no length, and respond 413 at a limit such as 1 MiB.'
        return { verdict: 'advice', observed, fix }
      }
      const isFailure = attempts.some(({ exchange }) => exchange.status === 500)
      if (isFailure && (await examination.isAlive())) {
        const failed = `the endpoint failed instead of refusing: ${observed}`
        return { verdict: 'fail', observed: failed, because: refusesWithoutFailing }
      }
      return judgeSurvived(examination, observed)
    },
  },
  'refuses-invalid-utf8': {
    title: 'Refuses a body that is not UTF-8',
    severity: 'low',
    clause: 'RFC 8259, section 8.1: JSON is UTF-8',
    risk: 'The stored event differs from the verified one, because the invalid bytes are replaced.',
    ...refuseBodies(
      "Decode with new TextDecoder('utf-8', { fatal: true }), and refuse bodies on which it throws, or set them aside.",
      { 'broken UTF-8': (subject) => spoilText(writeSummary(subject)) },
    ),
  },
  'refuses-malformed-json': {
    title: 'Refuses a body that is not JSON',
    severity: 'medium',
    clause: 'RFC 9110, section 15.5.1: 400',
    risk: 'An exception replaces the refusal: the sender retries a 5xx for days, or the process ends.',
    ...refuseBodies('Catch errors from JSON.parse, and respond 400, or set the body aside.', {
      'the first 100 bytes of a body': (subject) => writeSummary(subject).subarray(0, 100),
      'no body': () => Buffer.alloc(0),
      'text behind the JSON': (subject) => Buffer.concat([writeSummary(subject), Buffer.from('}')]),
    }),
  },
  'refuses-json-other-than-object': {
    title: 'Refuses JSON that is not an object',
    severity: 'medium',
    clause: 'specification: every event is a JSON object',
    risk: 'Reading a field of null throws: the sender retries a 5xx for days, or the process ends.',
    ...refuseBodies(
      'Check that the parsed body is an object before you read its fields. Otherwise, respond 400, or set the body aside.',
      {
        null: () => Buffer.from('null'),
        'an array': () => Buffer.from('[]'),
        'a text': () => Buffer.from('"CALL_AI_SUMMARY"'),
        'a number': () => Buffer.from('42'),
      },
    ),
  },
  'refuses-again-what-it-refused': {
    title: 'Does not acknowledge on the second attempt what it has refused on the first',
    severity: 'medium',
    clause: 'Standard Webhooks 1.0, "Operational considerations": 2xx means received',
    expected: 'no 2xx after a refusal',
    risk: 'After a failure that lasts a moment, such as a database that restarts, the second attempt is taken for a duplicate, and the event is lost.',
    fix: 'Store the webhook-id in the transaction that handles the event, never before.',
    follows: 'survives-forged-claim',
    unless: 'refuses-wrong-secret',
    needs: ['signature'],
    requests: 4,
    run: async (examination) => {
      const subject = examination.ids.createSubject()
      const refusable = {
        'malformed JSON': '{"event":',
        'a summary without its fields': JSON.stringify({
          event: 'CALL_AI_SUMMARY',
          callId: subject,
          summary: null,
        }),
      }
      const acknowledged: Attempt[] = []
      for (const [label, body] of Object.entries(refusable)) {
        const delivery = buildDelivery(examination, body, subject)
        const [first, second] = [await examination.deliver(delivery), await examination.deliver(delivery)]
        const isRefused = first.status !== undefined && first.status >= 400 && !isShielded(first)
        if (isRefused && isAccepted(second)) acknowledged.push({ label, exchange: first })
      }
      if (acknowledged.length === 0) return { verdict: 'pass', observed: 'no 2xx after a refusal' }
      // Remembering the id of an event that can never be handled loses nothing. Remembering that of a body that could not be
      // read, or whose handling failed, loses an event.
      const isLost = acknowledged.some(
        ({ label, exchange: { status = 0 } }) => status >= 500 || label === 'malformed JSON',
      )
      const observed = `${describeAttempts(acknowledged)}, then 2xx`
      return { verdict: isLost ? 'fail' : 'advice', observed }
    },
  },
  'survives-wrong-types': {
    title: 'Does not fail when the fields of an event have unexpected types',
    severity: 'medium',
    clause: 'RFC 9110, section 15.6: 5xx means that the server is at fault',
    expected: '2xx or 4xx, and an effect of genuine events that arrive at the same time',
    risk: 'A field that changes its type makes the handler throw: the sender retries for days, or a worker gives up the genuine events of the same batch.',
    fix: 'Validate events before you handle them; respond 422, or 200 and set them aside, each on its own.',
    requests: ({ given }) => 5 + (given.has('effects') ? 2 + Object.keys(wrongTypes).length : 0),
    run: async (examination) => {
      const attempts = await sendBodies(examination, wrongTypes)
      const failed = attempts.filter(({ exchange }) => isFailure(exchange))
      if (failed.length > 0) {
        const isUnknown =
          examination.knowledge.failsAtUnknownNames && failed.every(({ label }) => label === 'event: {}')
        const because = isUnknown ? 'accepts-unknown-event' : undefined
        return { verdict: 'fail', observed: describeAttempts(failed), because }
      }
      const limited = attempts.filter(({ exchange }) => isLimited(exchange))
      if (limited.length > 0) {
        const reason = explainShield(limited.map(({ exchange }) => exchange))
        return { verdict: 'inconclusive', observed: `${describeAttempts(limited)}; ${reason}` }
      }
      const [{ delivery: { subject = '' } = {} } = {}] = attempts
      const genuine = await examination.deliver(
        buildDelivery(examination, buildEvent('CALL_AI_SUMMARY', subject), subject),
      )
      // Its effect is that of a valid event, even if the first attempt was refused.
      examination.knowledge.refusedSubjects.delete(subject)
      const observed = describeAttempts(attempts)
      if (!examination.knowledge.needsPredecessors && !isAccepted(genuine) && !isShielded(genuine)) {
        return {
          verdict: 'fail',
          observed: `${observed}; then ${describeResponse(genuine)} to a valid event of the same call`,
        }
      }
      const accepted = attempts.flatMap(({ label, exchange }) => (isAccepted(exchange) ? [label] : []))
      if (examination.knowledge.effectName !== undefined && accepted.length > 0) {
        const finding = await findLostNeighbors(examination, accepted)
        if (finding !== undefined) return finding
      }
      return judgeSurvived(examination, observed)
    },
  },
  'survives-deep-nesting': {
    title: 'Survives a deeply nested body',
    severity: 'medium',
    clause: 'RFC 8259, section 9: a parser may limit the depth',
    expected: 'any response, then genuine deliveries as before',
    risk: 'A recursive parser, validator or logger overflows the stack and ends the process.',
    fix: 'Limit the size of bodies, and catch errors when you handle them.',
    requests: 2,
    run: async (examination) => {
      const depth = 20_000
      const nested = `"nested":${'['.repeat(depth)}${']'.repeat(depth)}`
      const attempts = await sendBodies(examination, {
        [`${depth} brackets`]: (subject) => writeWith(subject, nested),
      })
      return judgeSurvived(examination, describeAttempts(attempts))
    },
  },
  'survives-prototype-keys': {
    title: 'Survives keys that would change a prototype',
    severity: 'high',
    clause: 'CWE-1321, prototype pollution',
    expected: 'any response, then genuine deliveries as before, without a trace of the keys',
    risk: 'A careless merge changes every object of the process: defaults, permissions, queries.',
    fix: 'Copy the fields that you know, one by one; do not merge a received object into your own.',
    requests: 5,
    run: async (examination) => {
      const trace = examination.ids.createSubject()
      const polluted = JSON.stringify({ callId: trace, groupId: trace, note: trace })
      const members = `"__proto__":${polluted},"constructor":{"prototype":${polluted}}`
      const attempts = await sendBodies(examination, {
        'the keys __proto__ and constructor': (subject) => writeWith(subject, members),
      })
      const countTraces = () => examination.countEffectsOf(buildDelivery(examination, {}, trace), 0)
      const atFirst = await countTraces()
      const later = [
        examination.build('GROUP_CREATED'),
        examination.build('CALL_ENDED'),
        await examination.prepare('CALL_AI_SUMMARY'),
      ]
      const { exchanges } = await deliverAtOnce(examination, later)
      const seen = exchanges.some(({ body, headers }) => `${body}${Object.values(headers)}`.includes(trace))
      if (seen || (await countTraces()) > atFirst) {
        return { verdict: 'fail', observed: 'the value of a prototype key shows in later deliveries' }
      }
      return judgeSurvived(examination, describeAttempts(attempts))
    },
  },
  'survives-duplicate-keys': {
    title: 'Survives a body with the same key twice',
    severity: 'low',
    clause: 'RFC 8259, section 4: names should be unique',
    expected: 'any response but 500, and at most one of the two values handled',
    risk: 'Two parsers read two different events from one signed body.',
    fix: 'Parse the body once, and pass on the result.',
    requests: 2,
    run: async (examination) => {
      const [first, second] = [await examination.prepare(), examination.build('CALL_AI_SUMMARY')]
      const key = examination.knowledge.effectName?.startsWith('GROUP_') ? 'groupId' : 'callId'
      const text = first.body.toString().replace('{', `{"${key}":"${second.subject}",`)
      const exchange = await examination.deliver(buildDelivery(examination, text, first.subject))
      const attempts = [{ label: 'two values of one key', exchange }]
      if (exchange.status === 500) return { verdict: 'fail', observed: describeAttempts(attempts) }
      if (examination.knowledge.effectName !== undefined) {
        const counts = await examination.countEffects([first, second], 0)
        const both = counts.every((count) => count > 0)
        // An effect that shows both shows the body as it was sent.
        const texts = both ? await examination.listEffects(first) : []
        if (texts.some((text) => !text.includes(second.subject)))
          return { verdict: 'fail', observed: 'both values were handled' }
      }
      return judgeSurvived(examination, describeAttempts(attempts))
    },
  },
}
