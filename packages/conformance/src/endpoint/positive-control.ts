import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type EventName, eventNames } from '@wabakit/contract'
import { eventExamples } from '@wabakit/contract/documents'
import { EffectsError, TargetUnreachableError } from '../errors.ts'
import { showsText } from './decode-effects.ts'
import { pollEffects } from './effects.ts'
import { buildDelivery, type Examination } from './examination.ts'
import { describeResponse } from './judge.ts'
import { findMistakenSignature } from './mistaken-signatures.ts'
import { buildEvent, callInOrder, type Delivery } from './payloads.ts'
import { type Exchange, isAccepted, isShielded } from './send.ts'
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

/** Returns whether a status may refuse a signature. Others mostly refuse the path, the method or the content type. */
const mayRefuseSignature = (status: number): boolean => [400, 401, 403, 422].includes(status) || status >= 500

/** The numbers of a summary, without their plus signs. */
const digitsAlone = Object.fromEntries(
  Object.entries(eventExamples.CALL_AI_SUMMARY).flatMap(([name, value]) =>
    typeof value === 'string' && value.startsWith('+') ? [[name, value.slice(1)]] : [],
  ),
)

const onlyUuids = 'only if its ids are UUIDs; webhook-id and callId are strings of any form'

/** Delivers an event whose webhook-id and callId are UUIDs, for endpoints that store them in columns of this type. */
const deliverUuids = async (examination: Examination, name: EventName) => {
  const subject = randomUUID()
  const delivery = { ...buildDelivery(examination, buildEvent(name, subject), subject), id: randomUUID() }
  return { delivery, exchange: await examination.deliver(delivery) }
}

/** Returns the mistake that a refused delivery proves, if it proves one. */
const findMistake = async (
  examination: Examination,
  { name, subject, exchange }: { name: EventName; subject: string; exchange: Exchange },
): Promise<string | undefined> => {
  const { status = 0 } = exchange
  if (status < 400 || isShielded(exchange)) return undefined
  const response = describeResponse(exchange)
  const withUuids = await deliverUuids(examination, name)
  const again = await examination.deliver(examination.build(name))
  // A refusal that does not last has another cause.
  const lasts = again.status === status
  if (isAccepted(withUuids.exchange) && lasts) return `${response}: a delivery is accepted ${onlyUuids}`
  const signed =
    lasts && mayRefuseSignature(status) ? await findMistakenSignature(examination, name) : undefined
  if (signed !== undefined) return `${response}: a delivery is accepted only if it is signed ${signed}`
  const { effects, limits, signal, knowledge, clock } = examination
  // The earlier events prove that the secret and the path are right.
  const isAlone = knowledge.controls.filter(isAccepted).length > 0 && ![401, 403, 404].includes(status)
  const only = isAlone
    ? `${response} to ${name}, although the earlier events of its call were accepted`
    : undefined
  if (effects === undefined || status < 500) return only
  const summary = examination.build('CALL_AI_SUMMARY')
  const isRefused = !isAccepted(await examination.deliver(summary))
  // Earlier events of the call may have left effects under its id, and a summary that is accepted by now may have one.
  const subjects = [...(isAlone ? [] : [subject]), ...(isRefused ? [summary.subject] : [])]
  const counts = await pollEffects(effects, subjects, {
    isEnough: (each) => each.some((count) => count > 0),
    ...limits,
    retryReadMs: limits.effectMs,
    signal,
    clock,
  })
  if (counts.every((count) => count === 0)) return only
  return `${response} to a delivery that was handled: the sender repeats it for days`
}

const { recap } = eventExamples.CALL_AI_SUMMARY.summary

/**
 * Returns whether the summary of a call had no effect after the call's earlier events, although `bare`, a summary without
 * earlier events, had one.
 */
export const losesSummary = async (
  examination: Examination,
  call: Delivery,
  bare: Delivery,
): Promise<boolean> => {
  const { areHandled, listEffects, getEffectMs, signal, clock } = examination
  const [late = false, alone = false] = await areHandled([call, bare])
  if (!late || !alone) return alone
  // An application may keep one line per call, so only a text of the summary shows that a line is the summary's: its recap or, if
  // none is shown, its name, because the line of a call may name its first event.
  const alike = (await listEffects(bare)).join()
  const text = [recap, 'CALL_AI_SUMMARY'].find((each) => showsText(alike, each))
  const endsAt = clock.now() + getEffectMs()
  for (;;) {
    const lines = (await listEffects(call)).join()
    const isLost = text !== undefined && !showsText(lines, text)
    if (!isLost || clock.now() > endsAt || signal.aborted) return isLost
    await sleep(100)
  }
}

/**
 * Returns whether a summary without earlier events is handled. If `bare` was not, tries another one more than a second
 * later, because an application may keep only one event of each second.
 */
const handlesAlone = async (examination: Examination, bare: Delivery): Promise<boolean> => {
  if (await examination.isHandled(bare)) return true
  await sleep(1_100, undefined, { signal: examination.signal }).catch(() => {})
  const later = examination.build('CALL_AI_SUMMARY')
  await examination.deliver(later)
  return examination.isHandled(later)
}

/** Learns how many effects a call has before its summary. If the summary adds none, effects prove nothing about deliveries. */
const learnEffectsBefore = async (examination: Examination, isRefusedAlone: boolean): Promise<void> => {
  const { knowledge, prepare, deliver, countEffectsOf, isHandled, listEffects } = examination
  const call = await prepare('CALL_AI_SUMMARY')
  knowledge.effectsBefore = await countEffectsOf(call, 0)
  const before = (await listEffects(call)).join()
  await deliver(call)
  // A second call without any effect is lost as a whole.
  if (knowledge.effectsBefore === 0 || (await isHandled(call))) return
  knowledge.effectName = undefined
  if (showsText((await listEffects(call)).join(), recap) && !showsText(before, recap)) {
    knowledge.losesUnknownCalls = !isRefusedAlone
    knowledge.effectsProblem =
      'a summary has an effect only after the earlier events of its call: see survives-missing-predecessor'
  } else {
    knowledge.needsPredecessors = isRefusedAlone
    knowledge.effectsProblem =
      'the effects show calls, but neither a line nor the recap of a summary; let --effects print one'
  }
}

/** Returns the words of a line of effects, without numbers, times and ids. If two workers do the same job, their lines have the same words. */
const readWords = (line: string): string =>
  (line.match(/[\w-]+/g) ?? []).filter((word) => !/\d/.test(word)).join(' ')

/** Returns how many lines one effect has: all of these lines if their words differ, otherwise 1. */
const countLinesPerEffect = (lines: readonly string[]): number =>
  lines.length > 0 && new Set(lines.map(readWords)).size === lines.length ? lines.length : 1

/**
 * Waits for the first effect of several deliveries and, if there is one, notes how long it took since `sentAt`. Returns the number
 * of effects of each subject.
 */
const awaitFirstEffect = async (
  { knowledge, effects, limits, signal, clock }: Examination,
  subjects: readonly string[],
  { sentAt, effectMs = limits.firstEffectMs }: { sentAt: number; effectMs?: number },
): Promise<number[]> => {
  if (effects === undefined) return []
  const waitsFrom = clock.now()
  // Uses the machine's clock: while this process is starved, the served clock is slower than the endpoint's time, and would
  // measure too little. Later effects are awaited for a multiple of what is measured here.
  const startedAt = performance.now()
  let shownAt = startedAt
  const counts = await pollEffects(effects, subjects, {
    isEnough: (latest) => {
      const isShown = latest.some((count) => count > 0)
      if (!isShown) shownAt = performance.now()
      return isShown
    },
    settleMs: limits.settleMs,
    effectMs,
    retryReadMs: limits.effectMs,
    signal,
    clock,
  })
  knowledge.waitedMs += clock.now() - waitsFrom
  if (counts.every((count) => count === 0)) return counts
  knowledge.effectWithinMs = shownAt - sentAt
  // If the effect is visible before the numbers have settled once, its latency is unknown and may be zero.
  knowledge.effectLatencyMs = shownAt === startedAt ? 0 : knowledge.effectWithinMs
  return counts
}

/**
 * Events that an application may use although it uses neither the events of an answered call nor GROUP_CREATED. CALL_NOT_PICKED may
 * happen again without any difference, so nothing can be learned from a second one that is not signed.
 */
const otherEvents = eventNames.filter(
  (name) =>
    !['GROUP_CREATED', 'CALL_NOT_PICKED'].includes(name) && !callInOrder.some((usual) => usual === name),
)

/**
 * Learns why no call, such as those of `earlier`, had an effect. If groups had none either, looks for another event that has one.
 */
const learnOtherEffects = async (examination: Examination, earlier: readonly string[]): Promise<void> => {
  const { knowledge, limits, build, deliver, getEffectMs } = examination
  const names = knowledge.showsGroups ? [] : otherEvents
  const sentAt = performance.now()
  const { delivery } = await deliverUuids(examination, 'CALL_AI_SUMMARY')
  const others = [build('CALL_AI_SUMMARY', digitsAlone), ...names.map((name) => build(name))]
  for (const other of others) await deliver(other)
  const subjects = [delivery, ...others].map(({ subject }) => subject)
  const effectMs = knowledge.showsGroups ? getEffectMs() : limits.firstEffectMs
  const latest = await awaitFirstEffect(examination, [...subjects, ...earlier], { sentAt, effectMs })
  if (latest.slice(subjects.length).some((count) => count > 0)) {
    knowledge.effectsProblem =
      'genuine deliveries had an effect only after others had arrived; if events are written once a batch is full, write them after a short time, too'
    return
  }
  const [uuids = 0, digits = 0, ...counts] = latest
  const only = uuids > 0 ? onlyUuids : digits > 0 ? 'only if its numbers have no plus sign' : undefined
  if (only !== undefined) knowledge.controlMistake = `a delivery is accepted, but handled ${only}`
  else knowledge.effectName ??= names.find((_, index) => (counts[index] ?? 0) > 0)
  knowledge.effectsProblem =
    knowledge.controlMistake ??
    'genuine deliveries were accepted, but --effects shows no line with their callId or groupId: either it does not list what the application did, or the application lost them'
}

const learnEffects = async (
  examination: Examination,
  { subject, bare, sentAt }: { subject: string; bare: Delivery; sentAt: number },
): Promise<void> => {
  const { knowledge, effects } = examination
  if (effects === undefined) return
  const group = examination.build('GROUP_CREATED')
  await examination.deliver(group)
  const subjects = [subject, group.subject, bare.subject]
  const [calls = 0, groups = 0, alone = 0] = await awaitFirstEffect(examination, subjects, { sentAt })
  knowledge.showsGroups = groups > 0
  if (calls + alone === 0) {
    if (groups > 0) knowledge.effectName = 'GROUP_CREATED'
    await learnOtherEffects(examination, [subject, bare.subject])
    return
  }
  knowledge.effectName = 'CALL_AI_SUMMARY'
  const isRefusedAlone = knowledge.needsPredecessors
  knowledge.needsPredecessors ||= !(await handlesAlone(examination, bare))
  if (knowledge.needsPredecessors) await learnEffectsBefore(examination, isRefusedAlone)
  else {
    const call = buildDelivery(examination, {}, subject)
    knowledge.losesLaterEvents = await losesSummary(examination, call, bare)
    const lines = await examination.listEffects(bare)
    if (lines.length > 0 && lines.every((line) => line.includes(subject))) {
      knowledge.effectName = undefined
      knowledge.effectsProblem =
        'each line of the effects with a callId also shows another call; let --effects print one effect per line, or a JSON array'
    }
    knowledge.linesPerEffect = countLinesPerEffect(lines)
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
    knowledge.controlMistake = await findMistake(examination, { name, subject, exchange })
    knowledge.controlProblem = knowledge.controlMistake ?? explain(exchange)
    return
  }
  const sentAt = performance.now()
  const bare = examination.build('CALL_AI_SUMMARY')
  const alone = await examination.deliver(bare)
  knowledge.acceptsGenuine = true
  knowledge.needsPredecessors = !isAccepted(alone)
  try {
    await learnEffects(examination, { subject, bare, sentAt })
    if (knowledge.effectName === undefined) return
    const delivery = await examination.prepare()
    if (isAccepted(await examination.deliver(delivery)))
      knowledge.early = { delivery, sentAt: performance.now() }
  } catch (error) {
    if (!(error instanceof EffectsError)) throw error
    knowledge.effectsProblem = error.message
  }
}
