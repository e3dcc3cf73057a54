import { setTimeout as sleep } from 'node:timers/promises'
import { type EventName, eventNames } from '@wabakit/contract'
import { type Defaulted, setDefaults } from '../../report/run-checks.ts'
import type { EndpointCheck, EndpointChecks } from '../check.ts'
import { buildDelivery, type Examination } from '../examination.ts'
import { type Attempt, deliverAtOnce, describeDoubled, judgeAccepted, judgeOnce } from '../judge.ts'
import type { Delivery } from '../payloads.ts'
import { formatHead } from '../raw.ts'
import { isAccepted } from '../send.ts'

/** Number of deliveries between two attempts: more ids than a small cache holds. */
const others = 130
const othersAtOnce = 10

/**
 * The events, other than the summary, whose second attempt can be recognized. Without a signature, there is no
 * `webhook-id`, so a second CALL_NOT_PICKED is one for another agent who did not answer.
 */
const listOthers = (isSigned: boolean): EventName[] =>
  eventNames.filter((name) => name !== 'CALL_AI_SUMMARY' && (isSigned || name !== 'CALL_NOT_PICKED'))

const idempotency = 'Standard Webhooks 1.0, "Idempotency": webhook-id is the same on every attempt'
const unique = 'Store the webhook-id under a unique constraint, in the transaction that handles the event.'

/** Sends a complete request and closes the connection without waiting for the response. */
const sendAndHangUp = async (
  { sign, url, signal, openAndWrite }: Examination,
  delivery: Delivery,
): Promise<void> => {
  const signed = await sign(delivery)
  const socket = await openAndWrite(Buffer.concat([Buffer.from(formatHead(url, signed)), signed.body]))
  await sleep(20, undefined, { signal }).catch(() => {})
  socket.destroy()
}

/** Retries a delivery until it is accepted, or the time to recover is over, like a sender with a short schedule. */
const retry = async (
  { deliver, signal, limits, clock }: Examination,
  delivery: Delivery,
): Promise<Attempt> => {
  const endsAt = clock.now() + limits.recoverMs
  for (;;) {
    const exchange = await deliver(delivery)
    if (isAccepted(exchange) || clock.now() > endsAt || signal.aborted) {
      return { label: 'the retry', exchange }
    }
    await sleep(50)
  }
}

/** Returns the events that have another effect under a new id. Ignores events without any effect. */
const findHandledAgain = async (
  examination: Examination,
  names: readonly EventName[],
): Promise<EventName[]> => {
  const { prepare, deliver, countEffects } = examination
  const deliveries: Delivery[] = []
  for (const name of names) deliveries.push(await prepare(name))
  for (const delivery of deliveries) await deliver(delivery)
  const once = await countEffects(deliveries)
  for (const [index, { body, subject }] of deliveries.entries()) {
    if (once[index] !== 0) await deliver(buildDelivery(examination, body, subject))
  }
  const again = await countEffects(deliveries, once)
  return names.filter((_, index) => (again[index] ?? 0) > (once[index] ?? 0))
}

const checks: Readonly<Record<string, Defaulted<EndpointCheck, 'clause' | 'expected'>>> = {
  'handles-duplicate-once': {
    isProof: true,
    title: 'Handles a delivery once when it is sent again',
    severity: 'critical',
    risk: 'If a response is lost, the sender retries: the customer gets two messages, or pays twice.',
    fix: unique,
    requests: ({ given }) => 3 + 2 * listOthers(given.has('signature')).length,
    run: async (examination) => {
      const { prepare, build, deliver, countEffects, secret, knowledge } = examination
      const delivery = await prepare()
      const names = listOthers(secret !== undefined)
      const different = names.map((name) => build(name))
      for (const each of [delivery, ...different]) await deliver(each)
      // An event without an effect need not have one later.
      const [first = 0, ...once] = await countEffects([delivery, ...different], [1, ...names.map(() => 0)])
      const doubled = describeDoubled([first], knowledge)
      if (doubled !== undefined) return { verdict: 'fail', observed: doubled, because: knowledge.doubledAt }
      for (const shiftSeconds of [1, 2]) await deliver(delivery, { shiftSeconds })
      for (const each of different) await deliver(each)
      const [finding, twice] = await Promise.all([
        judgeOnce(examination, delivery, '3 attempts of one delivery'),
        countEffects(different, 0),
      ])
      if (finding.verdict !== 'pass') return finding
      const repeated = names.find((_, index) => {
        const count = once[index] ?? 0
        return count > 0 && (twice[index] ?? 0) > count
      })
      if (repeated === undefined) return finding
      return {
        verdict: 'fail',
        observed: `the second attempt of ${repeated} had another effect`,
        isPartial: true,
      }
    },
  },
  'acknowledges-duplicate': {
    title: 'Responds 2xx to a delivery that it has handled before',
    follows: undefined,
    severity: 'medium',
    expected: '2xx to the second attempt',
    needs: [],
    risk: 'The sender believes that the delivery failed, retries it for days, and may disable the subscription.',
    fix: 'Respond 200 to a delivery that was handled before. (409 is right only while it is being handled.)',
    requests: 2,
    run: async (examination) => {
      const delivery = await examination.prepare('CALL_AI_SUMMARY')
      await examination.deliver(delivery)
      const { exchange } = await retry(examination, delivery)
      return judgeAccepted([{ label: 'the second attempt', exchange }])
    },
  },
  'handles-concurrent-duplicates-once': {
    isProof: true,
    title: 'Handles a delivery once when its attempts overlap',
    severity: 'high',
    risk: 'A sender that gives up on a slow response retries while the first attempt is still running: both are handled.',
    fix: `${unique} A lookup before the insert is not enough.`,
    requests: 8,
    run: async (examination) => {
      const delivery = await examination.prepare()
      const attempts = Array.from({ length: 8 }, () => examination.deliver(delivery))
      await Promise.all(attempts)
      return judgeOnce(examination, delivery, '8 attempts at once of one delivery')
    },
  },
  'handles-late-duplicate-once': {
    isProof: true,
    title: 'Handles a delivery once when it is sent again after many others',
    severity: 'high',
    risk: 'A busy minute evicts the id, and the retry is handled again.',
    fix: 'Remember ids for days, instead of the last hundred.',
    requests: 2 + others,
    run: async (examination) => {
      const delivery = await examination.prepare()
      await examination.deliver(delivery)
      let accepted = 0
      for (let sent = 0; sent < others; sent += othersAtOnce) {
        const fillers = Array.from({ length: othersAtOnce }, () =>
          examination.build('CALL_INCOMING_INITIATED'),
        )
        const sentAtOnce = await deliverAtOnce(examination, fillers)
        accepted += sentAtOnce.accepted.length
        // An endpoint that handles few at the same time accepts the others one after another.
        for (const filler of sentAtOnce.limited)
          accepted += Number(isAccepted(await examination.deliver(filler)))
      }
      await examination.deliver(delivery)
      const finding = await judgeOnce(examination, delivery, `2 attempts, ${accepted} deliveries apart,`)
      return finding.verdict === 'pass' && accepted <= 100
        ? { verdict: 'inconclusive', observed: `only ${accepted} other deliveries were accepted` }
        : finding
    },
  },
  'handles-retry-after-hang-up-once': {
    isProof: true,
    title: 'Handles a delivery once when the sender hangs up and retries',
    // By default, it follows no other check, because a lost event is a mistake of its own. If the event is handled twice,
    // `judgeOnce` names the cause.
    follows: undefined,
    severity: 'high',
    risk: 'After a broken connection, the event is lost, because it was marked as handled too early, or handled twice.',
    fix: 'Mark a delivery as handled in the transaction of its effect, and finish the work when the sender hangs up.',
    requests: 2,
    run: async (examination) => {
      const delivery = await examination.prepare()
      await sendAndHangUp(examination, delivery)
      await retry(examination, delivery)
      const sent = 'an attempt with a closed connection and its retry'
      return judgeOnce(examination, delivery, sent, 'handles-concurrent-duplicates-once')
    },
  },
  'handles-same-event-under-new-id-once': {
    isProof: true,
    title: "Handles a call's summary and a group's creation once, whatever their webhook-id",
    severity: 'low',
    clause:
      'specification, "CALL_AI_SUMMARY": it fires once per call; decision 0019: a resend may have a new id',
    risk: 'After a resend under a new id, or with a second subscription, the event is handled again. The sender may intend that.',
    fix: 'Keep one summary of each callId, and one creation of each groupId: unique constraints, and INSERT … ON CONFLICT DO NOTHING.',
    requests: 4,
    run: async (examination) => {
      const repeated = await findHandledAgain(examination, ['CALL_AI_SUMMARY', 'GROUP_CREATED'])
      if (repeated.length === 0) return { verdict: 'pass', observed: 'one effect' }
      return { verdict: 'advice', observed: `${repeated.join(' and ')} handled again` }
    },
  },
}

export const repeatedChecks: EndpointChecks = setDefaults(checks, {
  clause: idempotency,
  expected: 'one effect',
  needs: ['effects'],
  follows: 'handles-duplicate-once',
})
