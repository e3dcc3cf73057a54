import type { Finding } from '../report/run-checks.ts'
import type { ListedCheck } from './check.ts'
import type { Examination } from './examination.ts'
import type { Delivery } from './payloads.ts'
import { type Exchange, isAccepted } from './send.ts'

/** Number of times that another usual delivery is sent, and awaited as long as a worker may wait before it tries again. */
const rounds = 3

/** Minimum number of calls and groups in the effects that show that usual deliveries had an effect before. */
const minShown = 3

/** Sends usual deliveries, one after another. Returns them, or `undefined` if one is refused or handled. */
const deliverInVain = async (examination: Examination): Promise<Delivery[] | undefined> => {
  const { prepare, deliver, areHandled, getEffectMs, limits } = examination
  const deliveries: Delivery[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const delivery = await prepare()
    if (!isAccepted(await deliver(delivery))) return undefined
    deliveries.push(delivery)
    const effectMs = round === 0 ? getEffectMs() : Math.max(limits.retryMs, getEffectMs())
    const [isHandled] = await areHandled([delivery], effectMs)
    if (isHandled) return undefined
  }
  return (await areHandled(deliveries, 0)).some(Boolean) ? undefined : deliveries
}

/** Returns the id of the call or group of a request. */
const readSubject = ({ request: { body } }: Exchange): string | undefined => {
  try {
    const { callId, groupId } = JSON.parse(Buffer.from(body).toString())
    const subject: unknown = callId ?? groupId
    return typeof subject === 'string' && subject !== '' ? subject : undefined
  } catch {
    return undefined
  }
}

/**
 * After a check that awaited an effect in vain, finds out whether anything is still handled. A lossy or a slow endpoint is not blamed:
 * several usual deliveries must be accepted without an effect, for longer than the worker would need for all that it has accepted
 * since the last effect.
 */
export const findStuckWorker = async (
  { id }: Pick<ListedCheck, 'id'>,
  examination: Examination,
): Promise<Finding | undefined> => {
  const { knowledge, clock, hasMissed, isStarved, readEffectLines } = examination
  const { effectName, effectWithinMs } = knowledge
  if (effectName === undefined || !hasMissed()) return undefined
  const accepted = knowledge.exchanges.filter(isAccepted)
  const startedAt = clock.now()
  const deliveries = await deliverInVain(examination)
  if (deliveries === undefined) return undefined
  const waitedMs = clock.now() - startedAt
  const effects = (await readEffectLines()).join('\n')
  const isShown = (exchange: Exchange): boolean => {
    const subject = readSubject(exchange)
    return subject !== undefined && effects.includes(subject)
  }
  const shown = new Set(accepted.filter(isShown).map(readSubject))
  const since = accepted.slice(accepted.findLastIndex(isShown) + 1)
  const isBehind = since.length * effectWithinMs > waitedMs
  // If the last of them had an effect, none of them has stopped the worker.
  if (since.length === 0 || shown.size < minShown || isBehind || isStarved()) return undefined
  knowledge.stuck = { effectName, deliveries }
  knowledge.effectName = undefined
  knowledge.effectsProblem = `no event has had an effect since ${id}`
  const suspects = [...new Set(since.map(({ checkId }) => checkId))]
  const [seconds, usual] = [waitedMs, effectWithinMs].map((ms) => Math.ceil(ms / 1_000))
  return {
    verdict: 'fail',
    isPartial: true,
    title: 'Goes on handling events, whatever it has accepted before',
    severity: 'high',
    expected: 'an effect of each usual event, also after one that cannot be handled',
    observed: `none of ${deliveries.length} usual events that were accepted within ${seconds} s had an effect, although earlier ones had it within ${usual} s; what was accepted just after the last effect is of ${suspects.slice(0, 2).join(' and ')}`,
    risk: 'One event stops the worker. Everything that arrives later is accepted and never handled, and the sender does not repeat it.',
    fix: 'Catch the errors of each event in the worker: set it aside after some attempts, and go on with the next. Watch the age of the oldest event that waits.',
  }
}

/** Lets effects prove something again if one of the deliveries that a stuck worker left has one by now. */
export const noticeRecovery = async ({ knowledge, readEffectLines }: Examination): Promise<void> => {
  const { stuck } = knowledge
  if (stuck === undefined) return
  const lines = await readEffectLines()
  const counts = stuck.deliveries.map(({ subject }) => lines.filter((line) => line.includes(subject)).length)
  if (counts.every((count) => count <= knowledge.effectsBefore)) return
  knowledge.stuck = undefined
  knowledge.effectName = stuck.effectName
}
