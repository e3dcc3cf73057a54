import type { Finding } from '../../report/run-checks.ts'
import type { EndpointChecks } from '../check.ts'
import { showsText } from '../decode-effects.ts'
import { buildDelivery, type Examination } from '../examination.ts'
import { type Attempt, deliverAtOnce, isUnauthorized, judgeAccepted } from '../judge.ts'
import { buildEvent, type Delivery } from '../payloads.ts'
import { isAccepted } from '../send.ts'
import { writeRecap } from './accept.ts'
import { leaveOutBusy } from './deliver-again.ts'

/** Recaps of two summaries that are sent at once. */
const concurrentRecaps = ['Asked for tomatoes.', 'Asked for potatoes.'] as const

/** Delivers a summary whose body arrives in eight parts, with its length stated. */
const deliverInParts = async ({ prepare, deliver }: Examination) => {
  const delivery = await prepare('CALL_AI_SUMMARY')
  const { body } = delivery
  const parts = Array.from({ length: 8 }, (_, at) =>
    body.subarray(at * 60, at < 7 ? (at + 1) * 60 : undefined),
  )
  const headers = { 'content-length': String(body.length) }
  return { exchange: await deliver(delivery, { parts, headers }), delivery }
}

/** Explains why one of several deliveries that arrived at once was refused. */
const explainRefused = async (examination: Examination, finding: Finding): Promise<Finding> => {
  const refused = examination.exchanges.filter((exchange) => !isAccepted(exchange))
  const { exchange } = await deliverInParts(examination)
  if (!isAccepted(exchange)) return { ...finding, because: 'accepts-split-body' }
  if (!refused.every(isUnauthorized)) return finding
  return {
    ...finding,
    risk: 'A genuine delivery is refused as a forgery whenever another one arrives with it.',
    fix: 'Keep the body, the hash or Mac object and the signature of a request in variables of its own.',
  }
}

/** A check of what two deliveries at once do to each other. */
export const concurrentChecks: EndpointChecks = {
  'survives-concurrent-deliveries': {
    title: 'Accepts two deliveries at once',
    severity: 'critical',
    clause: 'decision 0020: only deliveries of one call or group wait for each other',
    expected: '2xx to both, or 429 or 503 and 2xx when it is sent again',
    risk: 'Two calls that end in the same second stop the endpoint, or one of them is refused or lost.',
    fix: 'Keep the state of a request separate from others: no shared variables, and no single connection without a queue.',
    requests: 4,
    run: async (examination) => {
      const { prepare, areHandled, listEffects, knowledge } = examination
      const deliveries: Delivery[] = []
      for (const recap of concurrentRecaps) {
        const { subject } = await prepare('CALL_AI_SUMMARY')
        const event = { ...buildEvent('CALL_AI_SUMMARY', subject), ...writeRecap(recap) }
        deliveries.push(buildDelivery(examination, event, subject))
      }
      const { exchanges } = await deliverAtOnce(examination, deliveries)
      const attempts: Attempt[] = exchanges.map((exchange, index) => {
        const delivery = deliveries[index]
        return { label: `delivery ${index + 1}`, exchange, ...(delivery && { delivery }) }
      })
      // The parts of one body arrive between those of the other.
      const parted = await Promise.all(
        ['first', 'second'].map(async (name) => ({
          label: `the ${name} of two bodies whose parts arrive in turn`,
          ...(await deliverInParts(examination)),
        })),
      )
      const all = [...attempts, ...parted]
      const judged = await leaveOutBusy(examination, all)
      const accepted = judgeAccepted(judged)
      const busy = all.length - judged.length
      const finding =
        accepted.verdict === 'pass' && busy > 0
          ? { ...accepted, observed: `${busy} of ${all.length} accepted only when sent again, alone` }
          : accepted
      if (finding.verdict === 'fail') return explainRefused(examination, finding)
      if (finding.verdict !== 'pass' || knowledge.effectName !== 'CALL_AI_SUMMARY') return finding
      await areHandled(deliveries)
      for (const [index, delivery] of deliveries.entries()) {
        const lines = (await listEffects(delivery)).join()
        if (showsText(lines, concurrentRecaps[1 - index] ?? '')) {
          return {
            verdict: 'fail',
            observed: 'an effect of one call has the recap of the other',
            risk: "A customer's words are filed under another customer.",
            fix: 'Keep the event of a request in variables of its own: one that requests share may change while the code waits.',
          }
        }
      }
      return finding
    },
  },
}
