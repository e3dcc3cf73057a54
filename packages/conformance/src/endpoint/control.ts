import { EffectsError, TargetUnreachableError } from '../errors.ts'
import { pollEffects } from './effects.ts'
import { buildDelivery, type Examination } from './examination.ts'
import { describeResponse } from './judge.ts'
import { buildEvent, callInOrder, type Delivery } from './payloads.ts'
import { type Exchange, isAccepted } from './send.ts'
import { formatTarget } from './target.ts'

const causes: Readonly<Record<number, string>> = {
  400: 'it could not read the delivery; does it verify the bytes as they arrived, before any body parser?',
  401: 'the secret or the credentials probably belong to another endpoint, or this one verifies a parsed body',
  403: 'the secret or the credentials probably belong to another endpoint, or a firewall blocks the request',
  404: 'the path is probably wrong, or the endpoint accepts only calls and groups that it knows',
  405: 'the path is probably wrong: it does not support POST',
  415: 'it does not accept application/json',
  429: 'it limits the rate of requests; raise its limit for the run',
}

const explain = (exchange: Exchange): string => {
  const { status, headers } = exchange
  const response = describeResponse(exchange)
  if (status === undefined) return `${response}; see the log of the endpoint`
  if (exchange.timedOut) return `${response}, but the response did not end in time; does it have a length?`
  if (status >= 300 && status < 400) {
    return `${response}: it redirects to ${headers.location ?? 'nowhere'}, and senders do not follow`
  }
  const cause = causes[status] ?? 'its handler probably failed; see the log of the endpoint'
  return `${response}: ${cause}`
}

const learnEffects = async (
  examination: Examination,
  { subject, bare, sentAt }: { subject: string; bare: Delivery; sentAt: number },
): Promise<void> => {
  const { knowledge, countEffectsOf, effects, limits, signal } = examination
  if (effects === undefined) return
  const group = examination.build('GROUP_CREATED')
  await examination.deliver(group)
  const startedAt = performance.now()
  let shownAt = startedAt
  const [calls = 0, groups = 0] = await pollEffects(effects, [subject, group.subject], {
    isEnough: (counts) => {
      const isShown = counts.some((count) => count > 0)
      if (!isShown) shownAt = performance.now()
      return isShown
    },
    settleMs: limits.settleMs,
    effectMs: limits.firstEffectMs,
    signal,
  })
  knowledge.effectWithinMs = shownAt - sentAt
  // If the effect is visible in the first poll, its latency is unknown and may be zero.
  knowledge.effectLatencyMs = shownAt === startedAt ? 0 : knowledge.effectWithinMs
  if (calls > 0) {
    knowledge.effectName = 'CALL_AI_SUMMARY'
    if ((await countEffectsOf(bare)) === 0) knowledge.needsPredecessors = true
    if (knowledge.needsPredecessors) {
      knowledge.effectsBefore = await countEffectsOf(await examination.prepare('CALL_AI_SUMMARY'), 0)
    }
  } else if (groups > 0) knowledge.effectName = 'GROUP_CREATED'
  else {
    knowledge.effectsProblem =
      'genuine deliveries were accepted, but --effects shows no line with their callId or groupId: either it does not list what the application did, or the application lost them'
  }
}

/**
 * Sends all events of one call in order, then the summary of another call without its earlier events. The responses
 * determine how this endpoint can be examined.
 *
 * @throws TargetUnreachableError when no connection can be made.
 */
export const runControl = async (examination: Examination): Promise<void> => {
  const { knowledge, ids } = examination
  const subject = ids.createSubject()
  for (const name of callInOrder) {
    const delivery = buildDelivery(examination, buildEvent(name, subject), subject)
    const exchange = await examination.deliver(delivery)
    if (!exchange.connected && exchange.error !== undefined && knowledge.controls.length === 0) {
      throw new TargetUnreachableError(
        `No connection to ${formatTarget(examination.url)}: ${exchange.error}. Is the endpoint running, and is the URL right?`,
      )
    }
    knowledge.controls.push(exchange)
    if (isAccepted(exchange) && !exchange.timedOut) continue
    knowledge.acceptsGenuine = false
    knowledge.controlProblem = explain(exchange)
    return
  }
  const sentAt = performance.now()
  const bare = examination.build('CALL_AI_SUMMARY')
  const alone = await examination.deliver(bare)
  knowledge.acceptsGenuine = true
  knowledge.needsPredecessors = !isAccepted(alone)
  try {
    await learnEffects(examination, { subject, bare, sentAt })
  } catch (error) {
    if (!(error instanceof EffectsError)) throw error
    knowledge.effectsProblem = error.message
  }
}
