import { setTimeout as sleep } from 'node:timers/promises'
import type { EventName } from '@wabakit/contract'
import type { Finding } from '../../report/run-checks.ts'
import type { EndpointChecks } from '../check.ts'
import { buildDelivery, type Examination } from '../examination.ts'
import { type Attempt, judgeAccepted } from '../judge.ts'
import { buildEvent, callInOrder, type Delivery } from '../payloads.ts'
import { losesSummary } from '../positive-control.ts'
import { type Exchange, isLimited } from '../send.ts'
import { leaveOutBusy } from './deliver-again.ts'
import {
  findErasing,
  isReset,
  lateEvents,
  latestEventAlone,
  mayShowLatestEvent,
  seesLatestEventAlone,
} from './latest-event.ts'

const atLeastOnce = 'decision 0020: after three failed attempts, later events may overtake'

const eventsOfGroup = ['GROUP_CREATED', 'GROUP_PARTICIPANT_JOINED', 'GROUP_PARTICIPANT_LEFT'] as const

/** Events that arrive without the earlier ones of their call or group. */
const withoutPredecessors = [
  'CALL_AI_SUMMARY',
  'CALL_ENDED',
  'GROUP_PARTICIPANT_JOINED',
  'GROUP_PARTICIPANT_LEFT',
  'GROUP_PARTICIPANT_REMOVED',
] as const satisfies readonly EventName[]

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

/** Sends events about one subject at once. */
const sendAtOnce = (examination: Examination, names: readonly EventName[]): Promise<Attempt[]> => {
  const subject = examination.ids.createSubject()
  return Promise.all(
    names.map(async (name) => {
      const delivery = buildDelivery(examination, buildEvent(name, subject), subject)
      const exchange = await examination.deliver(delivery)
      return { label: `${name} at once with others`, exchange, delivery }
    }),
  )
}

/**
 * Expects every delivery to be accepted. If the effects of summaries are visible, the first delivery, which is a
 * summary, must have an effect.
 */
const judgeKept = async (
  { knowledge, isHandled }: Examination,
  attempts: Awaited<ReturnType<typeof sendAll>>,
): Promise<Finding> => {
  const finding = judgeAccepted(attempts)
  const [summary] = attempts
  if (finding.verdict !== 'pass' || !summary) return finding
  const isLost =
    knowledge.losesUnknownCalls ||
    (knowledge.effectName === 'CALL_AI_SUMMARY' && !(await isHandled(summary.delivery)))
  if (!isLost) return finding
  const observed = `${finding.observed}, but the summary had no effect`
  return { verdict: 'fail', observed, lost: [summary.label] }
}

const leavings = [
  'GROUP_PARTICIPANT_LEFT',
  'GROUP_PARTICIPANT_REMOVED',
] as const satisfies readonly EventName[]

/**
 * Finds the event whose participant is back after an older event, which says that the participant joined. The effects show it if they
 * become those of another group whose participant has joined and not left.
 */
const findUndone = async (examination: Examination): Promise<EventName | undefined> => {
  const { ids, deliver, countEffects, listEffects, getEffectMs, signal, clock } = examination
  const show = async (group: string): Promise<string> =>
    (await listEffects(buildDelivery(examination, {}, group))).join('\n')
  /** Sends events about groups, and waits until the effects have settled. */
  const send = async (events: readonly (readonly [EventName, group: string])[], expected = 0) => {
    const deliveries = events.map(([name, group]) =>
      buildDelivery(examination, buildEvent(name, group), group),
    )
    for (const delivery of deliveries) await deliver(delivery)
    await countEffects(deliveries, expected)
  }
  const groups = leavings.map((name) => ({
    name,
    inOrder: ids.createSubject(),
    reversed: ids.createSubject(),
    joined: '',
  }))
  await send(
    groups.map(({ inOrder }) => ['GROUP_PARTICIPANT_JOINED', inOrder]),
    1,
  )
  for (const group of groups) group.joined = await show(group.inOrder)
  await send(groups.flatMap(({ name, ...each }) => [each.inOrder, each.reversed].map((id) => [name, id])))
  await send(groups.map(({ reversed }) => ['GROUP_PARTICIPANT_JOINED', reversed]))
  for (const { name, inOrder, reversed, joined } of groups) {
    if (joined === '' || (await show(inOrder)) === joined) continue
    // The application may have handled the older event first, and not yet the newer one.
    const endsAt = clock.now() + getEffectMs()
    while ((await show(reversed)) === joined) {
      if (clock.now() > endsAt || signal.aborted) return name
      await sleep(100)
    }
  }
  return undefined
}

/** Words that stand for a missing value or for the event that arrived last. They say nothing about the state of a call. */
const stateless = /^(?:true|false|null|none|nil|undefined|unknown|CALL_\w+)$/i

const listWords = (lines: readonly string[]): Set<string> => new Set(lines.join('\n').match(/[a-z_]{3,}/gi))

/**
 * Sends CALL_ACCEPTED after the end and the summary of its call. Finds a word that it has replaced by one that a running call has, such
 * as `ended` by `running`.
 */
const findStateBack = async (examination: Examination): Promise<string | undefined> => {
  const { deliver, countEffects, listEffects } = examination
  const send = async (names: readonly EventName[]): Promise<Delivery | undefined> =>
    (await sendAll(examination, names)).at(-1)?.delivery
  const call = await send(['CALL_INCOMING_INITIATED', 'CALL_ENDED', 'CALL_AI_SUMMARY'])
  const running = await send(['CALL_INCOMING_INITIATED', 'CALL_ACCEPTED'])
  if (call === undefined || running === undefined) return undefined
  await countEffects([call, running], [1, 0])
  const was = listWords(await listEffects(call))
  const { subject } = call
  await deliver(buildDelivery(examination, buildEvent('CALL_ACCEPTED', subject), subject))
  await countEffects([call], 0)
  const [is, early] = [listWords(await listEffects(call)), listWords(await listEffects(running))]
  const gone = [...was].find((word) => !is.has(word) && !early.has(word) && !stateless.test(word))
  const back = [...is].find((word) => !was.has(word) && early.has(word) && !stateless.test(word))
  return gone && back && `after a late CALL_ACCEPTED, the effects show ${back} where they showed ${gone}`
}

const leaveOpen = ({ knowledge }: Examination): Finding => {
  knowledge.leftOpen = true
  return { verdict: 'inconclusive', observed: latestEventAlone }
}

export const orderedChecks: EndpointChecks = {
  'survives-out-of-order': {
    title: 'Accepts the events of a call or a group in the wrong order, and at once',
    severity: 'high',
    clause: atLeastOnce,
    expected:
      '2xx to each, or 409 with Retry-After, 429 or 503 while others are handled; and the summary handled',
    risk: 'One slow attempt lets a later event overtake it, and the earlier one is refused for days, or lost.',
    fix: 'Handle each event independently, and never let an older state replace a newer one.',
    requests: ({ given }) => 3 * callInOrder.length + eventsOfGroup.length + (given.has('effects') ? 1 : 0),
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
      const finding = await judgeKept(examination, attempts)
      if (finding.verdict !== 'pass') return finding
      const isWaiting = ({ status, headers }: Exchange): boolean =>
        status === 409 && headers['retry-after'] !== undefined
      // Of events that arrive at once, some endpoints keep only the first, and others only the last.
      const atOnce = [
        ...(await sendAtOnce(examination, callInOrder)),
        ...(await sendAtOnce(examination, callInOrder.toReversed())),
        ...(await sendAtOnce(examination, eventsOfGroup)),
      ].filter(({ exchange }) => !isWaiting(exchange))
      const judged = await leaveOutBusy(examination, atOnce)
      const refused = judgeAccepted(judged)
      if (judged.length > 0 && refused.verdict !== 'pass') return refused
      const summaries = atOnce.flatMap(({ label, delivery }) =>
        label.startsWith('CALL_AI_SUMMARY') ? (delivery ?? []) : [],
      )
      const { effectName, losesLaterEvents, lossAtOnce, lossInRecord } = examination.knowledge
      if (summaries.length === 0 || effectName !== 'CALL_AI_SUMMARY') return finding
      const bare = await examination.prepare('CALL_AI_SUMMARY')
      await examination.deliver(bare)
      for (const summary of summaries) {
        if (!(await losesSummary(examination, summary, bare))) continue
        if (await seesLatestEventAlone(examination)) return leaveOpen(examination)
        const wasBusy = atOnce.some(({ delivery, exchange }) => delivery === summary && isLimited(exchange))
        return {
          verdict: 'fail',
          observed: wasBusy
            ? 'a summary that was refused beside the other events, and accepted when it was sent again, had no effect'
            : 'a summary that arrived at once with the other events had no effect',
          because: losesLaterEvents
            ? 'handles-what-it-accepts'
            : wasBusy
              ? 'survives-burst'
              : (lossAtOnce ?? lossInRecord ?? 'keeps-summary-after-late-event'),
        }
      }
      return finding
    },
  },
  'keeps-summary-after-late-event': {
    title: 'Keeps the summary of a call, and the participant of a group, whose earlier events arrive late',
    severity: 'high',
    clause: atLeastOnce,
    expected: 'the effects are kept',
    risk: 'A retry of CALL_ENDED that arrives after the summary makes the summary disappear or the call ring again, or one of GROUP_PARTICIPANT_JOINED puts someone who has left, or was removed, back into the group.',
    fix: 'Never let an older state replace a newer one: update only the fields in the event, and compare the times at which a participant joined and left.',
    requests: 24,
    needs: ['effects'],
    run: async (examination) => {
      const { knowledge, build, prepare, deliver, countEffects, listEffects } = examination
      const showsSummaries = knowledge.effectName === 'CALL_AI_SUMMARY'
      const member = build('GROUP_PARTICIPANT_JOINED')
      const summary = await prepare('CALL_AI_SUMMARY')
      for (const delivery of [member, summary]) await deliver(delivery)
      const [joined = 0] = await countEffects([member, summary], [0, showsSummaries ? 1 : 0])
      const [memberBefore, before] = [await listEffects(member), await listEffects(summary)]
      const group = build('GROUP_CREATED')
      await deliver(group)
      await deliver(buildDelivery(examination, buildEvent('GROUP_CREATED', member.subject), member.subject))
      for (const name of lateEvents) {
        await deliver(buildDelivery(examination, buildEvent(name, summary.subject), summary.subject))
      }
      const names = knowledge.needsPredecessors ? [...callInOrder.slice(0, -1), ...lateEvents] : lateEvents
      const [first] = await sendAll(examination, names)
      const other = first?.delivery ?? summary
      const [stillJoined = 0] = await countEffects([member, group, summary, other], 0)
      if (stillJoined < joined) {
        return {
          verdict: 'fail',
          observed: 'a participant who joined disappeared after GROUP_CREATED',
          risk: 'A retry of GROUP_CREATED that arrives late removes participants who have joined.',
          fix: 'Never let an older state replace a newer one: update only the fields in the event.',
        }
      }
      const isMemberGone =
        joined > 0 && isReset(memberBefore, await listEffects(member), await listEffects(group))
      const undone = joined > 0 && !isMemberGone ? await findUndone(examination) : undefined
      if (undone !== undefined) {
        const observed = `a participant was back after ${undone}, when an earlier GROUP_PARTICIPANT_JOINED arrived late`
        return {
          verdict: 'fail',
          observed,
          risk: 'A retry of GROUP_PARTICIPANT_JOINED that arrives late puts someone who has left, or was removed, back into the group.',
          fix: 'Compare the times at which a participant joined and left, and let no older event replace a newer one.',
        }
      }
      if (!showsSummaries) {
        if (isMemberGone) return leaveOpen(examination)
        return joined > 0
          ? { verdict: 'pass', observed: 'the participants were kept' }
          : { verdict: 'skipped', observed: 'the effects show no summaries' }
      }
      const after = await listEffects(summary)
      const withoutSummary = await listEffects(other)
      const isLost = after.length < before.length
      const isUndone = isReset(before, after, withoutSummary)
      if (isUndone && mayShowLatestEvent(before, after)) return leaveOpen(examination)
      const when = `after late ${lateEvents.join(', ')}`
      if (isLost || isUndone) {
        const erasing = await findErasing(examination)
        return {
          verdict: 'fail',
          observed: erasing
            ? `the effects of a call no longer show its recap after a late ${erasing}`
            : isUndone
              ? `${when}, the effects of a call with a summary are those of a call without one`
              : `${when}, the effects of a call had ${after.length} instead of ${before.length} lines`,
          risk: 'A retry of an earlier event that arrives after the summary makes the summary disappear.',
          fix: 'Never let an older state replace a newer one: update only the fields in the event.',
        }
      }
      const back = await findStateBack(examination)
      // Only the application knows whether the word is the state of the call, or its latest event.
      if (back === undefined) return { verdict: 'pass', observed: `kept ${when}` }
      return {
        verdict: 'advice',
        observed: back,
        risk: 'A retry of an earlier event that arrives after the summary takes a call back to an earlier state, such as ringing.',
        fix: 'Never let an older state replace a newer one: compare how far the events are.',
      }
    },
  },
  'survives-missing-predecessor': {
    title: 'Accepts an event whose predecessors never arrived',
    severity: 'high',
    clause: `${atLeastOnce}; a new subscription starts in the middle of calls`,
    expected: '2xx, and the summary handled',
    risk: 'Calls and groups from before the subscription, or from before an outage, are refused or lost.',
    fix: 'Create the record that an event belongs to if it does not exist: INSERT … ON CONFLICT DO UPDATE instead of UPDATE.',
    requests: withoutPredecessors.length,
    run: async (examination) => {
      const attempts = []
      for (const name of withoutPredecessors) attempts.push(...(await sendAll(examination, [name])))
      return judgeKept(examination, attempts)
    },
  },
  'survives-repeated-not-picked': {
    title: 'Accepts CALL_NOT_PICKED several times for one call, and what follows',
    severity: 'medium',
    clause: 'docs/reference/events.md: CALL_NOT_PICKED is sent once for each agent whose ring timed out',
    expected: '2xx to each, and the summary handled',
    risk: 'A unique constraint on call and event refuses the second agent who did not answer. If the call counts as over, its summary is lost.',
    fix: 'Identify deliveries by webhook-id, not by call and event. CALL_NOT_PICKED ends nothing: the call rings for the next agent.',
    requests: ({ given }) => (given.has('effects') ? 7 : 6),
    run: async (examination) => {
      const name = 'CALL_NOT_PICKED'
      const [, ...attempts] = await sendAll(examination, [
        'CALL_INCOMING_INITIATED',
        ...[name, name],
        ...callInOrder.slice(1),
      ] as const)
      const finding = judgeAccepted(attempts)
      const delivery = attempts.at(-1)?.delivery
      const { effectName, losesLaterEvents } = examination.knowledge
      const isShown = effectName === 'CALL_AI_SUMMARY' && !losesLaterEvents
      if (finding.verdict !== 'pass' || delivery === undefined || !isShown) return finding
      const bare = await examination.prepare('CALL_AI_SUMMARY')
      await examination.deliver(bare)
      if (!(await losesSummary(examination, delivery, bare))) return finding
      return { verdict: 'fail', observed: `${finding.observed}, but the summary after ${name} had no effect` }
    },
  },
  'survives-several-ends': {
    title: 'Accepts CALL_ENDED after another event that ends a call',
    severity: 'medium',
    clause: 'docs/reference/events.md: CALL_MISSED, CALL_REJECTED and CALL_ENDED each end a call',
    expected: '2xx to each',
    risk: 'A receiver that allows only the usual order of events refuses the second end, and the sender retries it for days.',
    fix: 'Respond 2xx to an event that changes nothing.',
    requests: 6,
    run: async (examination) => {
      const attempts = [
        ...(await sendAll(examination, ['CALL_INCOMING_INITIATED', 'CALL_MISSED', 'CALL_ENDED'])),
        ...(await sendAll(examination, ['CALL_INCOMING_INITIATED', 'CALL_REJECTED', 'CALL_ENDED'])),
      ]
      return judgeAccepted(attempts.filter(({ label }) => label === 'CALL_ENDED'))
    },
  },
}
