import { eventNames } from '@wabakit/contract'
import type { EndpointChecks } from '../check.ts'
import { buildDelivery, type Examination } from '../examination.ts'
import { type Attempt, isFailure, judgeAccepted, sendEach } from '../judge.ts'
import { buildEvent, type Delivery } from '../payloads.ts'
import { runControl } from '../positive-control.ts'
import type { Exchange } from '../send.ts'
import { sparseEvents } from '../sparse-events.ts'
import { accept, sendSummary, writeRecap } from './accept.ts'
import { handledOnce } from './handled-once.ts'

/** A recap of 8 kB, as after a long call. */
const longRecap = 'Long. '.repeat(1_333)

/**
 * Finds events of a live service that had no effect, although the usual event of the same name had one. The reverse proves
 * nothing: an application may want only calls of WhatsApp. `keeps-values` compares events that differ in their values alone.
 */
const findLost = async (examination: Examination, attempts: readonly Attempt[]): Promise<string[]> => {
  if (examination.knowledge.needsPredecessors) return []
  const find = (label: string): Delivery[] =>
    attempts.flatMap((each) => (each.label === label ? (each.delivery ?? []) : []))
  const compared = Object.entries(sparseEvents).filter(([, { isHandled }]) => isHandled)
  const usual = compared.flatMap(([, { name }]) => find(name))
  const sparse = compared.flatMap(([label]) => find(label))
  const shown = await examination.countEffects(usual, 0)
  if (!shown.some((count) => count > 0)) return []
  const handled = await examination.areHandled(sparse.filter((_, index) => (shown[index] ?? 0) > 0))
  return compared
    .filter((_, index) => (shown[index] ?? 0) > 0)
    .flatMap(([label], index) => (handled[index] === false ? [label] : []))
}

type Events = Readonly<Record<string, (examination: Examination) => Promise<Exchange>>>

const unknownNames: Events = {
  CALL_TRANSFERRED: ({ build, deliver }) => deliver(build('CALL_ENDED', { event: 'CALL_TRANSFERRED' })),
  ...Object.fromEntries(
    ['GROUP_RENAMED', 'TEMPLATE_STATUS_UPDATE', 'note-created', 'agent.status'].map((event) => [
      event,
      async ({ build, deliver }: Examination) => deliver(build('GROUP_CREATED', { event })),
    ]),
  ),
}

const namelessEvents: Events = {
  'a name in eventType': ({ build, deliver }) =>
    deliver(build('GROUP_CREATED', { event: undefined, eventType: 'ON_SLA_ESCALATED_PUBLIC' })),
  'no name': ({ build, deliver }) =>
    deliver(build('GROUP_CREATED', { event: undefined, groupCreatedAt: undefined })),
}

/** Genuine deliveries, and whether they are handled. */
export const genuineChecks: EndpointChecks = {
  'accepts-genuine': {
    title: 'Accepts the events of a call, in order',
    severity: 'critical',
    clause: 'Standard Webhooks 1.0, "Operational considerations": 2xx means received',
    expected: '2xx',
    risk: 'Every event is lost. If an endpoint refuses everything, its refusals do not show that it is safe.',
    fix: "Check the URL, the secret and the endpoint's log; `wabakit verify` explains a signature that does not match.",
    requests: ({ given }) => (given.has('effects') ? 7 : 5),
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
  'handles-what-it-accepts': handledOnce,
  'accepts-every-event': {
    title: 'Accepts every event of the specification',
    severity: 'high',
    clause: 'specification, "Events"; 2xx for an event that the application does not use',
    expected: '2xx to each, including a long summary and events whose fields are unset',
    risk: 'A sender retries refused deliveries for days, and may disable the subscription.',
    fix: 'Respond 2xx to events that you do not use, and allow bodies of 1 MiB.',
    requests: ({ measured }) =>
      eventNames.length + 1 + Object.keys(sparseEvents).length + measured.events.length,
    run: async (examination) => {
      const { prepare, deliver, knowledge, measured } = examination
      const attempts: Attempt[] = []
      for (const name of eventNames) {
        const delivery = await prepare(name)
        attempts.push({ label: name, exchange: await deliver(delivery), delivery })
      }
      const sendLong = sendSummary((event) => ({ ...event, ...writeRecap(longRecap) }))
      attempts.push({ label: 'a summary of 8 kB', exchange: await sendLong(examination) })
      const sparse = Object.entries(sparseEvents).map(([label, event]) => ({ label, ...event }))
      for (const { label, name, change } of [...sparse, ...measured.events]) {
        const subject = examination.ids.createSubject()
        const delivery = buildDelivery(examination, change(buildEvent(name, subject)), subject)
        attempts.push({ label, exchange: await deliver(delivery), delivery })
      }
      // `survives-missing-predecessor` covers endpoints that require a call's events in order.
      const isJudged = ({ label }: Attempt) =>
        !knowledge.needsPredecessors || !/^CALL_(?:ACCEPTED|ENDED)\b/.test(label)
      const judged = judgeAccepted(attempts.filter(isJudged))
      const disputed = measured.contradictions.filter((path) => !path.startsWith('fetch.')).join(', ')
      const finding =
        disputed === ''
          ? judged
          : { ...judged, observed: `${judged.observed}; the profile contradicts itself in ${disputed}` }
      if (finding.verdict !== 'pass' || knowledge.effectName === undefined) return finding
      const lost = await findLost(examination, attempts)
      return lost.length === 0
        ? finding
        : { verdict: 'fail', observed: `accepted, but not handled: ${lost.join(', ')}`, lost }
    },
  },
  'accepts-unknown-event': {
    title: 'Accepts unknown events',
    severity: 'medium',
    clause:
      'docs/is-my-webhook-endpoint-safe.md: new events arrive without notice, and some events of a live service have no name',
    risk: 'Events that you do not use, or that the service adds, fail, and retries pile up.',
    fix: 'Ignore events with an unknown name, or without one, and respond 2xx.',
    expected: '2xx',
    requests: Object.keys({ ...unknownNames, ...namelessEvents }).length,
    run: async (examination) => {
      const send = (events: Events): Promise<Attempt[]> =>
        sendEach(events, async (deliver) => ({ exchange: await deliver(examination) }))
      const [named, nameless] = [await send(unknownNames), await send(namelessEvents)]
      examination.knowledge.failsAtUnknownNames = named.some(({ exchange }) => isFailure(exchange))
      const finding = judgeAccepted([...named, ...nameless])
      // Only services that do not sign are known to send events without a name.
      const isNoted = examination.secret !== undefined && judgeAccepted(named).verdict !== 'fail'
      return finding.verdict === 'fail' && isNoted ? { ...finding, verdict: 'advice' } : finding
    },
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
}
