import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { eventNames } from '@wabakit/contract'
import type { EndpointCheck, EndpointChecks } from '../check.ts'
import { runControl } from '../control.ts'
import { buildDelivery, type Examination } from '../examination.ts'
import { type Attempt, deliverAtOnce, judgeAccepted, judgeHandled, sendEach } from '../judge.ts'
import { buildEvent, capitalize, type Delivery } from '../payloads.ts'
import { type Exchange, isAccepted } from '../send.ts'
import { sparseEvents } from '../sparse-events.ts'

/** Recaps of two summaries that are sent at once. */
const concurrentRecaps = ['Asked for tomatoes.', 'Asked for potatoes.'] as const

/** A recap of 8 kB, as after a long call. */
const longRecap = 'Long. '.repeat(1_333)

const writeRecap = (recap: string) => ({ summary: { recap, keyPoints: [], nextSteps: [] } })

/** Sends a summary that this endpoint handles, with changed fields or a different serialization. */
const sendSummary =
  (write: (event: Record<string, unknown>) => object | string, split?: (body: Buffer) => Buffer[]) =>
  async (examination: Examination): Promise<Exchange> => {
    const { subject } = await examination.prepare('CALL_AI_SUMMARY')
    const delivery = buildDelivery(examination, write(buildEvent('CALL_AI_SUMMARY', subject)), subject)
    return examination.deliver(delivery, { parts: split?.(delivery.body) })
  }

/** Splits a body in the middle of a multibyte character. */
const splitCharacter = (body: Buffer): Buffer[] => {
  const at = body.findIndex((byte) => byte >= 0xc0) + 1
  return [body.subarray(0, at), body.subarray(at)]
}

/** Sends several signatures, one of them correct. */
const sendSigned =
  (list: (right: string, wrong: string) => string) =>
  async ({ prepare, sign, send, random }: Examination): Promise<Exchange> => {
    const { headers, body } = await sign(await prepare('CALL_AI_SUMMARY'))
    const signatures = list(headers['webhook-signature'] ?? '', random.bytes(32).toString('base64'))
    return send({ headers: { ...headers, 'webhook-signature': signatures }, body })
  }

/** Returns the kind of id that the endpoint compares without regard to case, if there is one. */
const findConfused = async (examination: Examination): Promise<string | undefined> => {
  const { prepare, deliver, countEffects, knowledge, ids } = examination
  const { effectName = 'CALL_AI_SUMMARY', needsPredecessors } = knowledge
  const first = await prepare()
  const twins: Record<string, Delivery[]> = {
    'webhook-id': [
      { ...first, id: `a${first.id}` },
      { ...(await prepare()), id: `A${first.id}` },
    ],
  }
  const subject = ids.createSubject()
  if (!needsPredecessors) {
    const name = effectName === 'GROUP_CREATED' ? 'groupId' : 'callId'
    twins[name] = [`a${subject}`, `A${subject}`].map((id) =>
      buildDelivery(examination, buildEvent(effectName, id), id),
    )
  }
  for (const [kind, pair] of Object.entries(twins)) {
    let accepted = 0
    for (const twin of pair) accepted += Number(isAccepted(await deliver(twin)))
    if (accepted < pair.length) continue
    const [, second] = await countEffects(pair)
    if (second === 0) return kind
  }
  return undefined
}

/** Creates a check whose deliveries must all be accepted. */
const accept = (
  deliveries: Readonly<Record<string, (examination: Examination) => Promise<Exchange>>>,
): Pick<EndpointCheck, 'expected' | 'requests' | 'run'> => ({
  expected: '2xx',
  requests: Object.keys(deliveries).length,
  run: async (examination) =>
    judgeAccepted(await sendEach(deliveries, async (send) => ({ exchange: await send(examination) }))),
})

/** Finds events of a live service that had no effect, although the usual event of the same name had one. */
const findLost = async (examination: Examination, attempts: readonly Attempt[]): Promise<string[]> => {
  if (examination.knowledge.needsPredecessors) return []
  const find = (label: string): Delivery[] =>
    attempts.flatMap((each) => (each.label === label ? (each.delivery ?? []) : []))
  const compared = Object.entries(sparseEvents).filter(([, { isHandled }]) => isHandled)
  const usual = compared.flatMap(([, { name }]) => find(name))
  const sparse = compared.flatMap(([label]) => find(label))
  const shown = await examination.countEffects(usual, 0)
  const handled = await examination.countEffects(
    sparse.filter((_, index) => (shown[index] ?? 0) > 0),
    1,
  )
  return compared
    .filter((_, index) => (shown[index] ?? 0) > 0)
    .flatMap(([label], index) => (handled[index] === 0 ? [label] : []))
}

export const genuineChecks: EndpointChecks = {
  'accepts-genuine': {
    title: 'Accepts the events of a call, in order',
    severity: 'critical',
    clause: 'Standard Webhooks 1.0, "Operational considerations": 2xx means received',
    expected: '2xx',
    risk: 'Every event is lost. If an endpoint refuses everything, its refusals do not show that it is safe.',
    fix: "Check the URL, the secret and the endpoint's log; `wabakit verify` explains a signature that does not match.",
    requests: 6,
    runsAnyway: true,
    run: async (examination) => {
      await runControl(examination)
      const { acceptsGenuine, controlProblem, controlMistake } = examination.knowledge
      if (controlMistake !== undefined) return { verdict: 'fail', observed: controlMistake }
      if (!acceptsGenuine) return { verdict: 'inconclusive', observed: controlProblem }
      return { verdict: 'pass', observed: 'accepted' }
    },
  },
  'responds-in-time': {
    title: 'Responds before the sender gives up',
    severity: 'high',
    clause: 'decision 0019: a sender waits 15 seconds; Standard Webhooks 1.0 recommends 15 to 30',
    expected: 'a response within 15 s',
    risk: 'The sender counts a late response as a failure and sends again, so that slow work is done several times.',
    fix: 'Store the event and respond, then do slow work from the stored event.',
    runsAnyway: true,
    run: ({ knowledge: { controls }, limits: { responseMs, fastResponseMs } }) => {
      const slowest = Math.max(0, ...controls.map(({ durationMs }) => durationMs))
      const observed = `${Math.round(slowest)} ms`
      const expected = `a response within ${responseMs} ms`
      if (controls.length === 0) return { verdict: 'inconclusive', observed: 'no genuine delivery was sent' }
      const isLate = controls.some(({ timedOut }) => timedOut)
      if (isLate) return { verdict: 'fail', expected, observed: `no response within ${responseMs} ms` }
      return { verdict: slowest > fastResponseMs ? 'advice' : 'pass', expected, observed }
    },
  },
  'survives-concurrent-deliveries': {
    title: 'Accepts two deliveries at once',
    severity: 'critical',
    clause: 'decision 0020: only deliveries of one call or group wait for each other',
    expected: '2xx to both',
    risk: 'Two calls that end in the same second stop the endpoint, or one of them is lost.',
    fix: 'Keep the state of a request separate from others: no shared variables, and no single connection without a queue.',
    requests: 6,
    run: async (examination) => {
      const { prepare, countEffects, listEffects, knowledge } = examination
      const deliveries = []
      for (const recap of concurrentRecaps) {
        const { subject } = await prepare('CALL_AI_SUMMARY')
        const event = { ...buildEvent('CALL_AI_SUMMARY', subject), ...writeRecap(recap) }
        deliveries.push(buildDelivery(examination, event, subject))
      }
      const { exchanges } = await deliverAtOnce(examination, deliveries)
      const attempts = exchanges.map((exchange, index) => ({ label: `delivery ${index + 1}`, exchange }))
      const finding = judgeAccepted(attempts)
      if (finding.verdict !== 'pass' || knowledge.effectName !== 'CALL_AI_SUMMARY') return finding
      await countEffects(deliveries)
      for (const [index, delivery] of deliveries.entries()) {
        const lines = (await listEffects(delivery)).join()
        if (lines.includes(concurrentRecaps[1 - index] ?? '')) {
          return { verdict: 'fail', observed: 'an effect of one call has the recap of the other' }
        }
      }
      return finding
    },
  },
  'handles-what-it-accepts': {
    title: 'Handles a delivery that it has accepted',
    severity: 'critical',
    clause: 'Standard Webhooks 1.0, "Operational considerations": 2xx means received',
    expected: 'one effect for each accepted delivery',
    risk: 'The sender does not repeat an accepted delivery: an event that is lost after a 2xx is lost for good.',
    fix: 'Respond 2xx only after the event is handled or stored durably. Store ids in a column that distinguishes letter case.',
    requests: 9,
    needs: ['effects'],
    run: async (examination) => {
      const { prepare, countEffects, knowledge } = examination
      const deliveries = [await prepare(), await prepare(), await prepare(), await prepare(), await prepare()]
      const { accepted } = await deliverAtOnce(examination, deliveries)
      const counts = await countEffects(accepted)
      const lost = counts.filter((count) => count < 1).length
      const observed = `${accepted.length} accepted at the same time, ${lost} of them without an effect`
      if (lost > 0) return { verdict: 'fail', observed }
      if (knowledge.losesLaterEvents) {
        const late =
          "a call's summary had no effect after the call's earlier events, although one on its own had"
        return { verdict: 'fail', observed: late }
      }
      const confused = await findConfused(examination)
      if (confused === undefined) return { verdict: 'pass', observed }
      const twin = `no effect of a delivery whose ${confused} differs from another only in the case of a letter`
      return { verdict: 'fail', observed: twin }
    },
  },
  'accepts-every-event': {
    title: 'Accepts every event of the specification',
    severity: 'high',
    clause: 'specification, "Events"; 2xx for an event that the application does not use',
    expected: '2xx to each, including a long summary and events whose fields are unset',
    risk: 'A sender retries refused deliveries for days, and may disable the subscription.',
    fix: 'Respond 2xx to events that you do not use, and allow bodies of 1 MiB.',
    requests: eventNames.length + 1 + Object.keys(sparseEvents).length,
    run: async (examination) => {
      const { prepare, deliver, knowledge } = examination
      const attempts: Attempt[] = []
      for (const name of eventNames) {
        const delivery = await prepare(name)
        attempts.push({ label: name, exchange: await deliver(delivery), delivery })
      }
      const sendLong = sendSummary((event) => ({ ...event, ...writeRecap(longRecap) }))
      attempts.push({ label: 'a summary of 8 kB', exchange: await sendLong(examination) })
      for (const [label, { name, change }] of Object.entries(sparseEvents)) {
        const subject = examination.ids.createSubject()
        const delivery = buildDelivery(examination, change(buildEvent(name, subject)), subject)
        attempts.push({ label, exchange: await deliver(delivery), delivery })
      }
      // `survives-missing-predecessor` covers endpoints that require a call's events in order.
      const isJudged = ({ label }: Attempt) =>
        !knowledge.needsPredecessors || !/^CALL_(?:ACCEPTED|ENDED)\b/.test(label)
      const finding = judgeAccepted(attempts.filter(isJudged))
      if (finding.verdict !== 'pass' || knowledge.effectName === undefined) return finding
      const lost = await findLost(examination, attempts)
      return lost.length === 0
        ? finding
        : { verdict: 'fail', observed: `accepted, but not handled: ${lost.join(', ')}` }
    },
  },
  'accepts-unknown-event': {
    title: 'Accepts unknown events',
    severity: 'medium',
    clause: 'decision 0003: new events may be added',
    risk: 'The day the service adds an event, its deliveries fail, and retries pile up.',
    fix: 'Ignore events with an unknown name, or without one, and respond 2xx.',
    ...accept({
      ...Object.fromEntries(
        ['GROUP_RENAMED', 'CALL_TRANSFERRED', 'TEMPLATE_STATUS_UPDATE', 'note-created', 'agent.status'].map(
          (event) => [
            event,
            async ({ build, deliver }: Examination) => deliver(build('GROUP_CREATED', { event })),
          ],
        ),
      ),
      'a name in eventType': ({ build, deliver }) =>
        deliver(build('GROUP_CREATED', { event: undefined, eventType: 'ON_SLA_ESCALATED_PUBLIC' })),
      'no name': ({ build, deliver }) =>
        deliver(build('GROUP_CREATED', { event: undefined, groupCreatedAt: undefined })),
    }),
  },
  'accepts-extra-fields': {
    title: 'Accepts unknown fields',
    severity: 'medium',
    clause: 'decision 0003: unknown fields are kept or ignored',
    risk: 'The day the service adds a field, every delivery is refused.',
    fix: 'Do not validate received events with a strict schema.',
    ...accept({
      'extra fields': sendSummary((event) => ({ ...event, orgId: 'o-1', sentiment: { score: 0.5 } })),
    }),
  },
  'accepts-body-bytes-as-sent': {
    title: 'Verifies the bytes as they were sent',
    severity: 'high',
    clause: 'Standard Webhooks 1.0, "Verifying webhook authenticity": the raw payload is signed',
    risk: 'Deliveries fail as soon as the sender serializes its JSON differently, or a customer is called Müller.',
    fix: 'Verify the raw body, before any parser: never JSON.stringify(request.body).',
    ...accept({
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
    }),
    expected: '2xx, whatever the spacing, escapes, key order and characters',
  },
  'accepts-split-body': {
    title: 'Accepts a chunked body that is split within a character',
    severity: 'medium',
    clause: 'RFC 9112, section 7.1: a body may arrive in chunks of any size',
    risk: 'Now and then, a delivery with an accent or an emoji fails, because a packet ends within the character.',
    fix: 'Collect the chunks as bytes and decode them once: Buffer.concat(chunks), not text += chunk.',
    ...accept({
      'a split body': sendSummary((event) => ({ ...event, ...writeRecap('Grüße') }), splitCharacter),
    }),
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
    clause: 'Standard Webhooks 1.0, "Verifying timestamps": a tolerance; decision 0017: 5 minutes',
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
  'accepts-either-secret-in-rotation': {
    title: 'Accepts the previous secret during a rotation',
    severity: 'high',
    clause: 'Standard Webhooks 1.0, "Secret rotation"',
    risk: 'Deliveries fail between the moment the secret changes here and the moment it changes there.',
    fix: 'Keep a list of secrets, and accept a signature made with any of them.',
    needs: ['signature', 'previous-secret'],
    ...accept({
      'the current secret': async ({ prepare, deliver }) => deliver(await prepare('CALL_AI_SUMMARY')),
      'the previous secret': async ({ prepare, deliver, previousSecret }) =>
        deliver(await prepare('CALL_AI_SUMMARY'), { secret: previousSecret }),
    }),
    expected: '2xx to either secret',
  },
  'accepts-multiple-signatures': {
    title: 'Accepts a delivery with several signatures, one of them correct',
    severity: 'high',
    clause: 'Standard Webhooks 1.0, "Webhook headers": a space-delimited list of signatures',
    risk: 'Deliveries fail while the sender rotates its secret, or when it adds a new signature scheme.',
    fix: 'Split webhook-signature at spaces, and accept when any v1 signature matches.',
    needs: ['signature'],
    ...accept({
      'a wrong one before it': sendSigned((right, wrong) => `v1,${wrong} ${right}`),
      'a wrong one after it': sendSigned((right, wrong) => `${right} v1,${wrong}`),
      'two wrong ones before it': sendSigned((right, wrong) => `v1,${wrong} v1,${wrong} ${right}`),
      'another version before it': sendSigned((right, wrong) => `v1a,${wrong} ${right}`),
    }),
    expected: '2xx, at any position of the correct signature',
  },
}
