import { setTimeout as sleep } from 'node:timers/promises'
import type { Finding } from '../../report/run-checks.ts'
import type { EndpointChecks } from '../check.ts'
import { buildDelivery, type Examination } from '../examination.ts'
import { type Attempt, judgeAccepted, judgeAllHandled, judgeOnce, sendEach } from '../judge.ts'
import { buildEvent, type Delivery } from '../payloads.ts'
import { isAccepted } from '../send.ts'

/** Unsigned headers that frameworks and gateways use as the identity of a request. */
const unsignedIds = [
  'idempotency-key',
  'x-idempotency-key',
  'x-request-id',
  'x-correlation-id',
  'x-delivery-id',
  'x-event-id',
  'x-webhook-id',
  'x-message-id',
  'x-trace-id',
]

const nameAll = (value: string): Record<string, string> =>
  Object.fromEntries(unsignedIds.map((name) => [name, value]))

/** Judges different deliveries that an endpoint might mistake for repeats of one another. */
const judgeBoth = async (
  { areHandled }: Examination,
  deliveries: readonly Delivery[],
  difference: string,
): Promise<Finding> => {
  const handled = await areHandled(deliveries)
  const lost = handled.filter((each) => !each).length
  if (lost === 0) return { verdict: 'pass', observed: 'each was handled' }
  const observed = `${lost} of ${handled.length} deliveries ${difference} had no effect`
  return { verdict: 'fail', observed, lost: [difference] }
}

/** Sends two deliveries whose ids of one kind have this length, begin alike, and differ only at the end. */
const sendAlike = (
  { deliver }: Examination,
  { kind, length, start }: { readonly kind: string; readonly length: number; readonly start: string },
  write: (id: string) => Promise<Delivery>,
): Promise<Attempt[]> => {
  const id = `${start}_`.padEnd(length - 1, '0')
  const ids = {
    [`a ${kind} of ${length} characters`]: `${id}1`,
    [`another ${kind} of ${length} characters`]: `${id}2`,
  }
  return sendEach(ids, async (each) => {
    const delivery = await write(each)
    return { exchange: await deliver(delivery), delivery }
  })
}

const judgeEach = async (examination: Examination, attempts: readonly Attempt[]): Promise<Finding> => {
  const finding = judgeAccepted(attempts)
  return finding.verdict === 'pass' ? judgeAllHandled(examination, attempts) : finding
}

const deliverEach = async (
  examination: Examination,
  deliveries: readonly Delivery[],
  headers?: Readonly<Record<string, string>>,
): Promise<Finding> => {
  const attempts = []
  for (const [index, delivery] of deliveries.entries()) {
    const exchange = await examination.deliver(delivery, headers && { headers })
    attempts.push({ label: `delivery ${index + 1}`, exchange })
  }
  return judgeAccepted(attempts)
}

/** Events that may happen again without any difference, by name. The second argument makes them differ. */
const repeatableEvents: Readonly<Record<string, (subject: string, mark: string) => object>> = {
  CALL_NOT_PICKED: (subject, customerName) => ({ ...buildEvent('CALL_NOT_PICKED', subject), customerName }),
  'a tag that is added': (subject, tagName) => ({
    tagId: subject,
    tagName,
    from: '+12025550143',
    channelType: 'WHATSAPP',
    tagAdded: true,
    callId: subject,
    groupId: subject,
  }),
}

/** Judges the effects after an event, after a different one about the same subject, and after the first one's body again. */
const judgeIdentical = (name: string, [once = 0, twice = 0, thrice = 0]: readonly number[]): Finding => {
  if (once === 0) return { verdict: 'skipped', observed: `the effects do not show ${name}` }
  if (twice <= once) return { verdict: 'skipped', observed: `two ${name} have no more effects than one` }
  const observed = `${name}: ${once}, ${twice} and ${thrice} effects after an event, another one, and the first one's body again`
  return { verdict: thrice > twice ? 'pass' : 'fail', observed }
}

/** Checks of how an endpoint tells new events from repeated ones. */
export const identifiedChecks: EndpointChecks = {
  'handles-ids-that-begin-alike': {
    title: 'Handles deliveries whose long ids differ only at the end',
    severity: 'high',
    clause: 'Standard Webhooks 1.0, "webhook-id": an opaque string; ids of calls have no maximum length',
    expected: '2xx to each, and each handled',
    risk: 'An id that is cut to the length of a column, a buffer or a UUID makes a new event look like an old one, and it is dropped. If it is cut before its signature is verified, the event is refused.',
    fix: 'Verify the whole id, and store it: as text, or its SHA-256.',
    needs: ['effects'],
    requests: ({ given }) => (given.has('signature') ? 4 : 2),
    run: async (examination) => {
      const { prepare, secret, ids, knowledge } = examination
      const { effectName = 'CALL_AI_SUMMARY', needsPredecessors } = knowledge
      const [kind, length, cause] = effectName.startsWith('GROUP_')
        ? (['groupId', 50, 'handles-unusual-group-ids'] as const)
        : (['callId', 64, 'handles-unusual-ids'] as const)
      const byWebhookId =
        secret === undefined
          ? []
          : await sendAlike(
              examination,
              { kind: 'webhook-id', length: 68, start: ids.createWebhookId() },
              async (id) => ({ ...(await prepare()), id }),
            )
      const bySubject = needsPredecessors
        ? []
        : await sendAlike(examination, { kind, length, start: ids.createSubject() }, async (subject) =>
            buildDelivery(examination, buildEvent(effectName, subject), subject),
          )
      const attempts = [...byWebhookId, ...bySubject]
      if (attempts.length === 0) {
        return { verdict: 'inconclusive', observed: 'see survives-missing-predecessor' }
      }
      const finding = await judgeEach(examination, attempts)
      if (finding.verdict !== 'fail') return finding
      const isSubjectAlone = (await judgeEach(examination, byWebhookId)).verdict === 'pass'
      return isSubjectAlone ? { ...finding, because: cause } : finding
    },
  },
  'ignores-unsigned-ids': {
    title: 'Takes the identity of a delivery from what is signed',
    severity: 'high',
    clause: 'Standard Webhooks 1.0, "Idempotency": webhook-id identifies a delivery',
    expected: 'two different deliveries handled, one repeated delivery handled once',
    risk: 'A proxy that adds the same header to every request, or a new one to each, makes events vanish or happen twice.',
    fix: 'Deduplicate by webhook-id, which is signed, and by no other header.',
    needs: ['signature', 'effects'],
    requests: 4,
    run: async (examination) => {
      const { prepare, deliver, ids } = examination
      const pair = [await prepare(), await prepare()]
      const accepted = await deliverEach(examination, pair, nameAll(ids.createWebhookId()))
      if (accepted.verdict !== 'pass') return accepted
      const both = await judgeBoth(examination, pair, 'with the same unsigned id, such as x-request-id,')
      if (both.verdict !== 'pass') return both
      const repeated = await prepare()
      for (const _ of pair) await deliver(repeated, { headers: nameAll(ids.createWebhookId()) })
      const sent = '2 attempts with different unsigned ids, such as x-request-id,'
      return judgeOnce(examination, repeated, sent, 'handles-duplicate-once')
    },
  },
  'handles-identical-events': {
    title: 'Handles genuine events whose bodies are identical',
    severity: 'high',
    clause: 'docs/reference/events.md: CALL_NOT_PICKED is sent once for each agent whose ring timed out',
    expected: 'an effect of each, if the application counts them',
    risk: 'A hash of the body takes the second agent who did not answer, or a tag that is added again, for a duplicate.',
    fix: 'Deduplicate by webhook-id. Without one, only events that happen once can be recognized: a summary, the end of a call.',
    needs: ['effects'],
    requests: 6,
    run: async (examination) => {
      const { ids, knowledge, deliver, countEffects } = examination
      const kinds = Object.entries(repeatableEvents).map(([name, write]) => {
        const subject = ids.createSubject()
        return { name, write: (mark: string) => buildDelivery(examination, write(subject, mark), subject) }
      })
      const counts: number[][] = []
      const notPicked: Delivery[] = []
      for (const mark of ['Ada', 'Grace', 'Ada']) {
        const deliveries = kinds.map(({ write }) => write(mark))
        for (const delivery of deliveries) await deliver(delivery)
        notPicked.push(...deliveries.slice(0, 1))
        const [earlier = [], before = []] = [counts.at(-2), counts.at(-1)]
        // An event that had no effect of its own need not have one later.
        const expected = kinds.map((_, index) => {
          const count = before[index] ?? 0
          return count > (earlier[index] ?? 0) ? count + 1 : count
        })
        counts.push(await countEffects(deliveries, expected))
      }
      const findings = kinds.map(({ name }, index) =>
        judgeIdentical(
          name,
          counts.map((each) => each[index] ?? 0),
        ),
      )
      const [once = 0, twice = 0] = counts.map(([count]) => count)
      if (once > 0) knowledge.countsEvents = twice > once
      const [first = { verdict: 'skipped' as const, observed: 'nothing was sent' }] = findings
      const proof =
        findings.find(({ verdict }) => verdict === 'fail') ??
        findings.find(({ verdict }) => verdict === 'pass')
      if (proof !== undefined || once === 0) return proof ?? first
      // An application that keeps one record of a call shows no event of its own.
      const subject = notPicked[0]?.subject ?? ''
      const ended = buildDelivery(examination, buildEvent('CALL_ENDED', subject), subject)
      await deliver(ended)
      const [count = 0] = await countEffects([ended], twice + 1)
      if (count <= twice) return first
      const observed =
        'a second CALL_NOT_PICKED of a call left no effect of its own, although CALL_ENDED did: is it taken for a repeat of the first?'
      return { verdict: 'inconclusive', observed }
    },
  },
  'remembers-for-a-minute': {
    title: 'Handles a delivery once when it is sent again after a minute and hundreds of others',
    severity: 'high',
    clause: 'decision 0019: a delivery may be attempted again for 75 hours',
    expected: 'one effect',
    risk: 'The second attempt, after a time-out of the sender or a pause of the endpoint, is handled again.',
    fix: 'Remember ids for days: a sender retries for as long. A cache of a minute, or of hundreds of ids, covers only the fastest retry.',
    needs: ['effects'],
    requests: 1,
    runsLast: true,
    follows: 'handles-late-duplicate-once',
    run: async (examination) => {
      const { deliver, limits, signal, knowledge, onWait } = examination
      const { early, exchanges } = knowledge
      if (early === undefined) return { verdict: 'inconclusive', observed: 'no early delivery was accepted' }
      const { delivery, sentAt } = early
      const restMs = Math.max(0, sentAt + limits.memoryMs - performance.now())
      knowledge.waitedMs += restMs
      onWait?.('a minute to pass')
      await sleep(restMs, undefined, { signal }).catch(() => {})
      const seconds = Math.round((performance.now() - sentAt) / 1_000)
      const others = exchanges.filter(isAccepted).length
      await deliver(delivery)
      return judgeOnce(examination, delivery, `2 attempts, ${seconds} s and ${others} deliveries apart,`)
    },
  },
}
