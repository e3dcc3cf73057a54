import type { Finding } from '../../report/run-checks.ts'
import type { EndpointCheck, EndpointChecks } from '../check.ts'
import { showsText } from '../decode-effects.ts'
import { buildDelivery, type Examination } from '../examination.ts'
import {
  type Attempt,
  judgeAccepted,
  judgeAllHandled,
  judgeHandled,
  keepsEveryLetter,
  sendEach,
} from '../judge.ts'
import { buildEvent } from '../payloads.ts'
import { isAccepted } from '../send.ts'
import {
  listSummaries,
  listTraits,
  listUnusualGroupIds,
  listUnusualIds,
  listUnusualSummaries,
  newValues,
  type SummaryFields,
} from '../summaries.ts'
import { writeRecap } from './accept.ts'
import { findMisread } from './misread.ts'
import { findMistaken, mistakenRequests } from './mistaken-values.ts'

const largeRecap = 'Long. '.repeat(34_000)

const hour = 3_600_000

/** Returns a failure for the first id that the effects do not show as it was sent. */
const findChanged = async (
  examination: Examination,
  ids: readonly { readonly id: string; readonly subject: string }[],
): Promise<Finding | undefined> => {
  for (const { id, subject } of ids) {
    const shown = (await examination.listEffects(buildDelivery(examination, {}, subject))).join('\n')
    if (!showsText(shown, id.replaceAll(subject, '…')))
      return {
        verdict: 'fail',
        observed: `the effects show ${shown.slice(0, 120)} for ${id.replaceAll(subject, '…')}`,
        ...(/[^ -~]/.test(id) && { because: keepsEveryLetter }),
      }
  }
  return undefined
}

/** Fields of GROUP_CREATED that a live service may send as null. */
const unresolvedFields = ['groupId', 'groupName', 'inviteLink'] as const

/** Sends events of this name about groups whose ids have another form, after one whose id is usual. */
const examineGroupIds = async (
  examination: Examination,
  name: 'GROUP_CREATED' | 'GROUP_PARTICIPANT_JOINED',
): Promise<Finding> => {
  const { knowledge, build, deliver, countEffectsOf } = examination
  const isOfGroup = name === 'GROUP_CREATED'
  const usual = build(name)
  const isUsualAccepted = isAccepted(await deliver(usual))
  // The endpoint may know no participants of a group that was not created.
  if (!isOfGroup && !isUsualAccepted) return { verdict: 'pass', observed: 'accepted' }
  const ids = Object.entries(listUnusualGroupIds(examination)).map(
    ([label, id]) => [isOfGroup ? label : `a participant of a group, with ${label}`, id] as const,
  )
  const attempts = await sendEach(Object.fromEntries(ids), async ({ id, subject }) => {
    const delivery = buildDelivery(examination, buildEvent(name, id), subject)
    return { exchange: await deliver(delivery), delivery }
  })
  const accepted = judgeAccepted(attempts)
  // If the endpoint needs the earlier events of a call, `countEffects` subtracts their effects even for groups, so
  // effects of groups cannot be counted.
  const showsGroups = knowledge.showsGroups && !knowledge.needsPredecessors
  const isShown = (await countEffectsOf(usual, isOfGroup && showsGroups ? 1 : 0)) > 0
  if (isOfGroup && accepted.verdict === 'pass' && showsGroups && !isShown) {
    const observed =
      'a second group had no effect, although the first one had: are groups told apart by groupName?'
    return { verdict: 'fail', observed }
  }
  if (accepted.verdict !== 'pass' || !isShown || knowledge.needsPredecessors) return accepted
  const handled = await judgeAllHandled(examination, attempts, 'no effect shows its groupId')
  const finding =
    handled.verdict === 'pass'
      ? ((await findChanged(
          examination,
          ids.map(([, id]) => id),
        )) ?? handled)
      : handled
  // Each of these groups has the same participant.
  return isOfGroup ? finding : { because: 'handles-each-participant', ...finding }
}

/** Sends a summary with these fields, after the earlier events of its call if the endpoint needs them. */
const sendSummary = async (
  examination: Examination,
  fields: SummaryFields,
): Promise<Omit<Attempt, 'label'>> => {
  const { subject } = await examination.prepare('CALL_AI_SUMMARY')
  const event = { ...buildEvent('CALL_AI_SUMMARY', subject), ...fields }
  const delivery = buildDelivery(examination, event, subject)
  return { exchange: await examination.deliver(delivery), delivery }
}

/**
 * Creates a check whose summaries must be accepted and, if the effects show summaries, handled. `findMistake` looks for a further
 * mistake in their effects.
 */
const handle = (
  listFields: () => Readonly<Record<string, SummaryFields>>,
  {
    listTraitsOf = () => undefined,
    findMistake,
    risk,
  }: {
    readonly listTraitsOf?: (fields: SummaryFields) => string[] | undefined
    readonly findMistake?: typeof findMisread
    /** The risk of the further mistake. */
    readonly risk?: string
  } = {},
): Pick<EndpointCheck, 'expected' | 'requests' | 'run'> => ({
  expected: '2xx to each, and each handled',
  requests: Object.keys(listFields()).length,
  run: async (examination) => {
    const attempts = await sendEach(listFields(), async (fields) => ({
      ...(await sendSummary(examination, fields)),
      traits: listTraitsOf(fields),
    }))
    const finding = await judgeHandled(examination, attempts)
    if (finding.verdict !== 'pass' || examination.knowledge.effectName !== 'CALL_AI_SUMMARY') return finding
    const observed = await findMistake?.(examination, attempts)
    return observed === undefined ? finding : { verdict: 'fail', observed, risk }
  },
})

/** Checks with genuine events that differ from the usual ones. */
export const variedChecks: EndpointChecks = {
  'handles-every-kind-of-call': {
    title: 'Handles the summary of every kind of call',
    severity: 'high',
    clause: 'specification, "CALL_AI_SUMMARY": both channels, both directions, agents and bots',
    risk: 'Summaries of outgoing calls, of WhatsApp calls or of bots fail, or vanish after a 2xx.',
    fix: 'agentNumber is absent if no team member took part. Do not require it, and test each channel, direction and type.',
    ...handle(listSummaries, { listTraitsOf: listTraits }),
  },
  'handles-new-values': {
    title: 'Handles summaries with values that it does not know',
    severity: 'medium',
    clause: 'decision 0003: values of enumerated fields are open; "unset" may be an empty string',
    risk: 'When the service adds a channel, a status or a trigger, the summaries that have it are refused or lost, or stored as what they are not.',
    fix: 'Store enumerated fields as text, or as unknown, but not as a known value. Treat an empty agentNumber as absent.',
    ...handle(() => newValues, {
      findMistake: findMistaken,
      risk: 'When the service adds a channel, a status or a trigger, calls that have it are stored as what they are not.',
    }),
    requests: ({ given }) => Object.keys(newValues).length + (given.has('effects') ? mistakenRequests : 0),
  },
  'handles-unusual-ids': {
    title: 'Handles summaries of calls whose ids have another form',
    severity: 'high',
    clause: 'specification, "CALL_AI_SUMMARY": callId is a string, without a format or a maximum length',
    expected: '2xx to each, and each handled',
    risk: 'The service writes ids as it likes. Those that do not fit a column or a pattern are refused, or are lost or stored as other ones after a 2xx.',
    fix: 'Store callId as text of any length, as it was sent, in the same case: not as a UUID, nor as a number, which is rounded and loses leading zeros.',
    requests: 5,
    run: async (examination) => {
      if (examination.knowledge.needsPredecessors) {
        return { verdict: 'inconclusive', observed: 'see survives-missing-predecessor' }
      }
      const ids = listUnusualIds(examination)
      const attempts = await sendEach(ids, async ({ id, subject }) => {
        const delivery = buildDelivery(examination, buildEvent('CALL_AI_SUMMARY', id), subject)
        return { exchange: await examination.deliver(delivery), delivery }
      })
      const finding = await judgeHandled(examination, attempts, 'no effect shows its callId')
      if (finding.verdict !== 'pass' || examination.knowledge.effectName !== 'CALL_AI_SUMMARY') return finding
      return (await findChanged(examination, Object.values(ids))) ?? finding
    },
  },
  'handles-unusual-group-ids': {
    title: 'Handles events of groups whose ids have another form',
    severity: 'high',
    clause:
      'specification, "Group creation request": groupId is a string of at most 50 characters that the client chooses',
    expected: '2xx to each, and each handled',
    risk: 'Events of groups whose ids do not fit a column or a pattern are refused, or are lost or stored as those of other groups after a 2xx.',
    fix: 'Store groupId as text of 50 characters, as it was sent, in the same case: not as a UUID, nor as a number, which is rounded and loses leading zeros. groupName is not unique.',
    requests: 14,
    run: async (examination) => {
      const created = await examineGroupIds(examination, 'GROUP_CREATED')
      if (created.verdict !== 'pass') return created
      return examineGroupIds(examination, 'GROUP_PARTICIPANT_JOINED')
    },
  },
  'handles-unusual-summaries': {
    title: 'Handles summaries with other texts, lists, times and numbers',
    severity: 'high',
    clause: 'specification, "CALL_AI_SUMMARY": texts and lists have no limits, and times are in ISO 8601',
    risk: 'Summaries that do not fit a column, a query or a format fail, or vanish after a 2xx.',
    fix: 'Store texts without a limit, in UTF-8 with four bytes, through parameters of the query. Cut them between characters: half a character is not UTF-8, and functions that expect it fail, or return nothing. Read times with their offset. Do not require that a list has items, or that a time has milliseconds. A duration of 0 is a duration.',
    ...handle(listUnusualSummaries, {
      findMistake: findMisread,
      risk: 'A time, a duration or a recap is stored as another one, or as none, and no one notices, because the response is 2xx.',
    }),
    expected:
      '2xx to each, and each handled, with the recap, the time and the duration that it had, if the effects show these',
  },
  'handles-large-body': {
    title: 'Handles a summary of 200 kB',
    severity: 'medium',
    clause: 'specification, "CALL_AI_SUMMARY": a recap has no maximum length',
    risk: 'The summary of a long call is refused each time it is sent. Several body parsers stop at 100 kB by default.',
    fix: "Mount the receiver before any body parser, or raise the parser's limit: express.json({ limit: '1mb' }). Allow 1 MiB in the proxy, too.",
    ...handle(() => ({
      'a summary of 200 kB': writeRecap(largeRecap),
    })),
  },
  'accepts-unresolved-group': {
    title: 'Accepts a GROUP_CREATED whose id, name or link is null',
    severity: 'medium',
    clause: 'decision 0014: groupId is null while the service cannot resolve it yet',
    risk: 'A group event that the service sends too early fails each time it is sent.',
    fix: 'Store the event, and find its group later by its name or by the next event. Expect that groupName and inviteLink are null, too.',
    expected: '2xx to each',
    requests: unresolvedFields.length,
    run: async (examination) =>
      judgeAccepted(
        await sendEach(
          Object.fromEntries(unresolvedFields.map((name) => [`${name} null`, name])),
          async (name) => {
            const { subject } = await examination.prepare('GROUP_CREATED')
            const event = { ...buildEvent('GROUP_CREATED', subject), [name]: null }
            const delivery = buildDelivery(examination, event, subject)
            return { exchange: await examination.deliver(delivery), delivery }
          },
        ),
      ),
  },
  'handles-late-event': {
    title: 'Handles an event about a call of three days ago',
    severity: 'high',
    clause: 'decision 0019: the last attempt of a delivery is made 75 hours after its event',
    risk: 'An event that arrives after an outage, or by a resend, gets a 2xx and is dropped. The sender does not repeat it.',
    fix: 'Judge age by webhook-timestamp, the time of the attempt, and never by the times in the event.',
    ...handle(() => {
      const endedAt = Date.now() - 74 * hour
      const times = {
        callStartedAt: new Date(endedAt - 42_000).toISOString(),
        callEndedAt: new Date(endedAt).toISOString(),
      }
      return { 'a call that ended 74 hours ago': times }
    }),
  },
}
