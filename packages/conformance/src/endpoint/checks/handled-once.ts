import type { EndpointCheck } from '../check.ts'
import { buildDelivery, type Examination } from '../examination.ts'
import { deliverAtOnce, describeDoubled, explainShield } from '../judge.ts'
import { buildEvent, type Delivery } from '../payloads.ts'
import { isAccepted } from '../send.ts'

/** Number of usual deliveries that are sent one after another. */
const inTurn = 25

/** Sends usual deliveries one after another. Returns those that were accepted. */
const deliverInTurn = async ({ prepare, deliver }: Examination): Promise<readonly Delivery[]> => {
  const accepted: Delivery[] = []
  for (let sent = 0; sent < inTurn; sent += 1) {
    const delivery = await prepare()
    if (isAccepted(await deliver(delivery))) accepted.push(delivery)
  }
  return accepted
}

const countLost = (counts: readonly number[]): number => counts.filter((count) => count === 0).length

/** Counts the effects of each delivery. While some have none, waits as long as more of them get one. */
const countAll = async (
  { countEffects }: Examination,
  deliveries: readonly Delivery[],
): Promise<readonly number[]> => {
  let counts = await countEffects(deliveries)
  while (countLost(counts) > 0) {
    const latest = await countEffects(deliveries)
    if (countLost(latest) === countLost(counts)) break
    counts = latest
  }
  return counts
}

/** Returns the kind of id that the endpoint compares without regard to case, if there is one. */
const findConfused = async (examination: Examination): Promise<string | undefined> => {
  const { prepare, deliver, areHandled, knowledge, ids } = examination
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
    const name = effectName.startsWith('GROUP_') ? 'groupId' : 'callId'
    twins[name] = [`a${subject}`, `A${subject}`].map((id) =>
      buildDelivery(examination, buildEvent(effectName, id), id),
    )
  }
  const seconds: [kind: string, second: Delivery][] = []
  for (const [kind, pair] of Object.entries(twins)) {
    const [, second] = pair
    let accepted = 0
    for (const twin of pair) accepted += Number(isAccepted(await deliver(twin)))
    if (second !== undefined && accepted === pair.length) seconds.push([kind, second])
  }
  const handled = await areHandled(seconds.map(([, second]) => second))
  return seconds.find((_, index) => handled[index] === false)?.[0]
}

export const lossRisk =
  'The sender does not repeat an accepted delivery: an event that is lost after a 2xx is lost for good.'
const fixLoss =
  'Respond 2xx only after the event is handled or stored durably. Check the result of each write: a database that is locked stores nothing. Keep no event in a variable that requests share, and lock what two of them read, change and write back.'
const fixAtOnce =
  'Only what arrived at the same time was lost. Respond 2xx to a duplicate only if the unique constraint of its id says so: any other error, such as SQLITE_BUSY, a deadlock or a lost connection, stores nothing and needs a 5xx. Keep no event in a variable that requests share, and lock what two of them read, change and write back.'
const claimJobs =
  "Let a worker claim a job in one statement: UPDATE … WHERE state = 'waiting' … RETURNING, or SELECT … FOR UPDATE SKIP LOCKED."

/** The check of whether each accepted delivery has one effect: of those sent at once, and of those sent in turn. */
export const handledOnce: EndpointCheck = {
  title: 'Handles a delivery that it has accepted, and once',
  severity: 'critical',
  clause: 'Standard Webhooks 1.0, "Operational considerations": 2xx means received',
  expected: 'one effect of each accepted delivery',
  risk: `${lossRisk} What is done twice is a second message, or a second payment.`,
  fix: `Respond 2xx only after the event is handled or stored durably. Deduplicate by webhook-id, not by callId, in a column that distinguishes letter case. Keep no event in a variable that requests share. ${claimJobs}`,
  requests: 9 + inTurn,
  needs: ['effects'],
  run: async (examination) => {
    const { prepare, knowledge, secret } = examination
    const deliveries = [await prepare(), await prepare(), await prepare(), await prepare(), await prepare()]
    const { accepted, exchanges } = await deliverAtOnce(examination, deliveries)
    if (accepted.length === 0) {
      const reason = explainShield(exchanges) ?? 'see survives-concurrent-deliveries'
      return { verdict: 'inconclusive', observed: `none of ${deliveries.length} was accepted; ${reason}` }
    }
    const others = await deliverInTurn(examination)
    const counts = await countAll(examination, [...accepted, ...others])
    const lost = countLost(counts.slice(0, accepted.length))
    const othersLost = countLost(counts) - lost
    const observed = `${accepted.length} accepted at the same time, ${lost} of them without an effect`
    if (lost + othersLost > 0) {
      knowledge.lossAtOnce = 'handles-what-it-accepts'
      if (othersLost > 0 && othersLost < others.length) knowledge.lossByChance = 'handles-what-it-accepts'
      // An earlier delivery had an effect, so the endpoint may take these for repeats of it.
      const isKeyless = lost === accepted.length && knowledge.effectName !== undefined && secret === undefined
      const cause = isKeyless
        ? '; this sender sends no webhook-id: does the endpoint remember a header that is missing?'
        : ''
      const one = `${others.length} accepted one after another, ${othersLost} of them without an effect`
      return {
        verdict: 'fail',
        observed: `${observed}; ${one}${cause}`,
        risk: lossRisk,
        fix: lost > 0 && othersLost === 0 ? fixAtOnce : fixLoss,
      }
    }
    const doubled = describeDoubled(counts, knowledge)
    if (doubled !== undefined) {
      knowledge.doubledAt = 'handles-what-it-accepts'
      return {
        verdict: 'fail',
        observed: doubled,
        risk: 'What is done twice is a second message, or a second payment.',
        fix: `Do the work in one place. ${claimJobs}`,
      }
    }
    if (knowledge.losesLaterEvents) {
      const late =
        "a call's summary had no effect after the call's earlier events, although one on its own had"
      return {
        verdict: 'fail',
        observed: late,
        risk: lossRisk,
        fix: 'Deduplicate by webhook-id, not by callId: a call has several events.',
      }
    }
    const confused = await findConfused(examination)
    if (confused === undefined) return { verdict: 'pass', observed }
    const twin = `no effect of a delivery whose ${confused} differs from another only in the case of a letter`
    return {
      verdict: 'fail',
      observed: twin,
      risk: lossRisk,
      fix: 'Compare and store ids as they were sent, in a column that distinguishes letter case.',
    }
  },
}
