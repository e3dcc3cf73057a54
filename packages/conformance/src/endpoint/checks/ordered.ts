import type { EventName } from '@wabakit/contract'
import type { Finding } from '../../report/run-checks.ts'
import type { EndpointChecks } from '../check.ts'
import { buildDelivery, type Examination } from '../examination.ts'
import { type Attempt, judgeAccepted } from '../judge.ts'
import { buildEvent, callInOrder, type Delivery } from '../payloads.ts'

const atLeastOnce = 'decision 0020: after three failed attempts, later events may overtake'

/** Sends events about one subject, each with a different id. */
const sendAll = async (examination: Examination, names: readonly EventName[]) => {
  const subject = examination.ids.createSubject()
  const attempts: (Attempt & { delivery: Delivery })[] = []
  for (const name of names) {
    const delivery = buildDelivery(examination, buildEvent(name, subject), subject)
    attempts.push({ label: name, exchange: await examination.deliver(delivery), delivery })
  }
  return attempts
}

/**
 * Expects every delivery to be accepted. If the effects of summaries are visible, the first delivery, which is a
 * summary, must have an effect.
 */
const judgeKept = async (
  { knowledge, countEffectsOf }: Examination,
  attempts: Awaited<ReturnType<typeof sendAll>>,
): Promise<Finding> => {
  const finding = judgeAccepted(attempts)
  const [summary] = attempts
  if (finding.verdict !== 'pass' || knowledge.effectName !== 'CALL_AI_SUMMARY' || !summary) return finding
  if ((await countEffectsOf(summary.delivery)) > 0) return finding
  return { verdict: 'fail', observed: `${finding.observed}, but the summary had no effect` }
}

export const orderedChecks: EndpointChecks = {
  'survives-out-of-order': {
    title: 'Accepts the events of a call in the wrong order',
    severity: 'high',
    clause: atLeastOnce,
    expected: '2xx to each, and the summary handled',
    risk: 'One slow attempt lets a later event overtake it, and the earlier one is refused for days, or lost.',
    fix: 'Handle each event independently, and never let an older state replace a newer one.',
    requests: callInOrder.length,
    run: async (examination) => {
      const attempts = await sendAll(examination, callInOrder.toReversed())
      // `survives-missing-predecessor` reports endpoints that require the earlier events.
      if (examination.knowledge.needsPredecessors) {
        const [first, ...later] = attempts
        const lost = first && judgeAccepted([first]).verdict !== 'pass'
        return lost
          ? { verdict: 'inconclusive', observed: 'see survives-missing-predecessor' }
          : judgeAccepted(later)
      }
      return judgeKept(examination, attempts)
    },
  },
  'keeps-summary-after-late-event': {
    title: 'Keeps the summary of a call whose CALL_ENDED arrives late',
    severity: 'high',
    clause: atLeastOnce,
    expected: 'the effect of the summary is kept',
    risk: 'A retry of CALL_ENDED that arrives after the summary makes the summary disappear.',
    fix: 'Never let an older state replace a newer one: update only the fields in the event.',
    requests: 9,
    needs: ['effects'],
    run: async (examination) => {
      const { knowledge, prepare, deliver, countEffects, listEffects } = examination
      if (knowledge.effectName !== 'CALL_AI_SUMMARY') {
        return { verdict: 'skipped', observed: 'the effects show no summaries' }
      }
      const summary = await prepare('CALL_AI_SUMMARY')
      await deliver(summary)
      await countEffects([summary])
      const before = await listEffects(summary)
      await deliver(buildDelivery(examination, buildEvent('CALL_ENDED', summary.subject), summary.subject))
      const names = callInOrder.slice(knowledge.needsPredecessors ? 0 : 2, 3)
      const [ended] = await sendAll(examination, names)
      const other = ended?.delivery ?? summary
      await countEffects([summary, other], 0)
      const after = await listEffects(summary)
      const withoutSummary = await listEffects(other)
      const isLost = after.length < before.length
      const isReset = after.join('\n') !== before.join('\n') && after.join('\n') === withoutSummary.join('\n')
      const observed = `${before.length} lines before CALL_ENDED, ${after.length} after it${isReset ? ', as of a call without a summary' : ''}`
      return { verdict: isLost || isReset ? 'fail' : 'pass', observed }
    },
  },
  'survives-missing-predecessor': {
    title: 'Accepts an event whose predecessors never arrived',
    severity: 'high',
    clause: `${atLeastOnce}; a new subscription starts in the middle of calls`,
    expected: '2xx, and the summary handled',
    risk: 'Calls and groups from before the subscription, or from before an outage, are refused or lost.',
    fix: 'Create the record that an event belongs to if it does not exist.',
    requests: 3,
    run: async (examination) => {
      return judgeKept(examination, [
        ...(await sendAll(examination, ['CALL_AI_SUMMARY'])),
        ...(await sendAll(examination, ['CALL_ENDED'])),
        ...(await sendAll(examination, ['GROUP_PARTICIPANT_JOINED'])),
      ])
    },
  },
  'survives-repeated-not-picked': {
    title: 'Accepts CALL_NOT_PICKED several times for one call',
    severity: 'medium',
    clause: 'docs/reference/events.md: CALL_NOT_PICKED is sent once for each agent whose ring timed out',
    expected: '2xx to each',
    risk: 'A unique constraint on call and event refuses the second agent who did not answer, and its retries.',
    fix: 'Identify deliveries by webhook-id, not by call and event.',
    requests: 3,
    run: async (examination) => {
      const name = 'CALL_NOT_PICKED'
      const attempts = await sendAll(examination, ['CALL_INCOMING_INITIATED', name, name])
      return judgeAccepted(attempts.slice(1))
    },
  },
}
