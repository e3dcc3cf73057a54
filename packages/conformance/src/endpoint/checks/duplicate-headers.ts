import type { Finding } from '../../report/run-checks.ts'
import type { Examination } from '../examination.ts'
import { type Attempt, describeAttempts, explainLackOfEffects, judgeForged, judgeRefused } from '../judge.ts'
import { signDelivery } from '../payloads.ts'
import { isAccepted } from '../send.ts'
import { type ForgedChecks, type Forgery, readGenuine, sendForgeries } from './forgery.ts'

/** Creates a forgery with two timestamps: an old one, which is signed, and a new one within the tolerance. */
const repeatTimestamp =
  (order: (old: string, present: string) => string[]): Forgery =>
  ({ headers, timestamp, key, id, body }) => {
    const old = String(Number(timestamp) - 86_400)
    const signature = `v1,${signDelivery(key, { id, timestamp: old, body })}`
    const repeated = order(old, timestamp)
    return { headers: { ...headers, 'webhook-timestamp': repeated, 'webhook-signature': signature } }
  }

/** Resends handled deliveries with a second id. */
const sendSecondIds = async (examination: Examination): Promise<Attempt[]> => {
  const { ids, deliver, send, countEffects, knowledge } = examination
  const genuine = [await readGenuine(examination), await readGenuine(examination)]
  for (const { delivery } of genuine) await deliver(delivery)
  const handled = knowledge.effectName && (await countEffects(genuine.map(({ delivery }) => delivery)))
  const attempts: Attempt[] = []
  for (const [index, { delivery, headers, body }] of genuine.entries()) {
    const pair = [delivery.id, ids.createWebhookId()]
    const doubled = { ...headers, 'webhook-id': index === 0 ? pair : pair.toReversed() }
    attempts.push({
      label: `a second id ${index === 0 ? 'after' : 'before'} the correct one`,
      exchange: await send({ headers: doubled, body }),
      delivery,
      effectsBefore: handled?.[index] ?? 0,
    })
  }
  return attempts
}

/**
 * Judges deliveries that were accepted with a second id. An endpoint that uses one of two ids for everything is right, so only a second
 * effect shows that it verifies one id and remembers the other.
 */
const judgeSecondIds = async (examination: Examination, accepted: readonly Attempt[]): Promise<Finding> => {
  const observed = describeAttempts(accepted)
  const isUnknown = accepted.some(({ effectsBefore = 0 }) => effectsBefore === 0)
  if (examination.knowledge.effectName === undefined || isUnknown) {
    const reason =
      examination.knowledge.effectName === undefined
        ? explainLackOfEffects(examination, 'not handled again')
        : 'the delivery had no effect before'
    return { verdict: 'inconclusive', observed: `${observed}; ${reason}` }
  }
  // A signature that is remembered is accepted with any id.
  const finding = await judgeRefused(examination, accepted)
  return finding.verdict === 'fail'
    ? { ...finding, because: 'refuses-captured-delivery' }
    : { ...finding, verdict: 'pass' }
}

/** Resends handled deliveries with a second id, and sends forgeries with a second timestamp. */
const sendRepeatedHeaders = async (examination: Examination): Promise<Finding> => {
  const attempts = await sendSecondIds(examination)
  const forgeries = await sendForgeries(examination, {
    'an old timestamp, then a new one': repeatTimestamp((old, present) => [old, present]),
    'a new timestamp, then an old one': repeatTimestamp((old, present) => [present, old]),
  })
  const accepted = attempts.filter(({ exchange }) => isAccepted(exchange))
  const others = attempts.filter(({ exchange }) => !isAccepted(exchange))
  const ofTimes = await judgeForged(examination, [...others, ...forgeries])
  // An endpoint that accepts any time accepts the old one, wherever it stands.
  if (accepted.length === 0) return { because: 'refuses-stale-timestamp', ...ofTimes }
  if (ofTimes.verdict === 'fail') return ofTimes
  const ofIds = await judgeSecondIds(examination, accepted)
  return ofTimes.verdict === 'pass' || ofIds.verdict === 'fail' ? ofIds : ofTimes
}

/** The check of deliveries that have a second id or a second time. */
export const duplicateHeaders: ForgedChecks[string] = {
  title: 'Lets no delivery pass with a second webhook-id or webhook-timestamp',
  severity: 'high',
  clause: 'RFC 9110, section 5.3: a sender must not repeat such a header',
  expected: '4xx to two times; 4xx or no second effect to two ids',
  risk: 'One value is verified and another is used: a replay passes the deduplication or the clock.',
  fix: 'Read each header once, and verify, compare and remember that value; or refuse a repeated header.',
  requests: 6,
  run: sendRepeatedHeaders,
}
