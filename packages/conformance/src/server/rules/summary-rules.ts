import {
  CallDirection,
  CallSummary,
  CallType,
  Channel,
  Timestamp,
  TriggeredVia,
  UtcTimestamp,
} from '@wabakit/contract'
import { readField } from '../api/api-request.ts'
import type { AnsweredCall } from '../calls/call-scenes.ts'
import { describeResponse, type Need } from '../lab.ts'
import type { Examination, Observation, Rule } from '../rule.ts'
import type { ReceivedWebhook } from '../webhooks/received-webhook.ts'

const playing: readonly Need[] = ['--listen', '--play']
const payload = '"Call AI summary event payload"'

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

/** Judges each CALL_AI_SUMMARY that arrived in the run. */
const judgeSummaries = async (
  { lab, scenes }: Examination,
  judge: (json: unknown, webhook: ReceivedWebhook) => boolean | undefined,
): Promise<Observation> => {
  const calls = [await scenes.answered('PSTN'), await scenes.answered('WHATSAPP')]
  await scenes.settle()
  const summaries = lab.listener?.webhooks.filter(({ event }) => event === 'CALL_AI_SUMMARY') ?? []
  if (summaries.length === 0) {
    return { kept: undefined, observed: calls[0]?.failure ?? 'no CALL_AI_SUMMARY arrived' }
  }
  const verdicts = summaries.map((webhook) => ({ webhook, kept: judge(webhook.json, webhook) }))
  const broken = verdicts.find(({ kept }) => kept === false)
  if (broken !== undefined) return { kept: false, observed: broken.webhook.text }
  const kept = verdicts.some((each) => each.kept) ? true : undefined
  return { kept, observed: kept ? `${summaries.length} events` : 'no event to which the rule applies' }
}

type FieldRule = {
  readonly id: string
  readonly title: string
  readonly expected: string
  readonly clause?: string
  readonly decision?: true
  readonly severity?: 'high'
  readonly judge: (json: unknown) => boolean | undefined
}

const read = readField
const isDateTime = (value: unknown): boolean => Timestamp.safeParse(value).success

const fieldRules: readonly FieldRule[] = [
  {
    id: 'channel-is-named',
    title: 'channel is PSTN or WHATSAPP',
    expected: 'PSTN or WHATSAPP',
    judge: (json) => Channel.safeParse(read(json, 'channel')).success,
  },
  {
    id: 'call-id-is-present',
    title: 'callId is a string that is not empty',
    expected: 'a string',
    severity: 'high',
    judge: (json) => isText(read(json, 'callId')),
  },
  {
    id: 'call-direction-is-named',
    title: 'callDirection is INCOMING or OUTGOING',
    expected: 'INCOMING or OUTGOING',
    judge: (json) => CallDirection.safeParse(read(json, 'callDirection')).success,
  },
  {
    id: 'call-status-is-a-string',
    title: 'callStatus is a string',
    expected: 'a string',
    judge: (json) => isText(read(json, 'callStatus')),
  },
  {
    id: 'call-status-is-never-ended',
    title: 'callStatus is END, never ENDED',
    expected: 'END',
    judge: (json) =>
      read(json, 'callStatus') !== 'ENDED' && (read(json, 'callStatus') === 'END' ? true : undefined),
  },
  {
    id: 'duration-is-a-number',
    title: 'durationInSeconds is a number',
    expected: 'a number, 0 or more',
    judge: (json) => {
      const value = read(json, 'durationInSeconds')
      return typeof value === 'number' && value >= 0
    },
  },
  {
    id: 'started-at-is-iso-8601',
    title: 'callStartedAt is an ISO 8601 timestamp',
    expected: 'an ISO 8601 timestamp',
    judge: (json) => isDateTime(read(json, 'callStartedAt')),
  },
  {
    id: 'ended-at-is-iso-8601',
    title: 'callEndedAt is an ISO 8601 timestamp',
    expected: 'an ISO 8601 timestamp',
    judge: (json) => isDateTime(read(json, 'callEndedAt')),
  },
  {
    id: 'ended-at-is-not-before-started-at',
    title: 'A call does not end before it starts',
    expected: 'callEndedAt at or after callStartedAt',
    judge: (json) => {
      const [start, end] = [
        Date.parse(String(read(json, 'callStartedAt'))),
        Date.parse(String(read(json, 'callEndedAt'))),
      ]
      return Number.isNaN(start + end) ? undefined : end >= start
    },
  },
  {
    id: 'timestamps-are-utc',
    title: 'Timestamps are in UTC with milliseconds',
    expected: 'such as 2026-01-01T10:00:00.000Z',
    clause: '0028 (timestamps)',
    decision: true,
    judge: (json) =>
      ['callStartedAt', 'callEndedAt'].every((name) => UtcTimestamp.safeParse(read(json, name)).success),
  },
  {
    id: 'from-is-present',
    title: 'from is a string that is not empty',
    expected: 'a phone number',
    judge: (json) => isText(read(json, 'from')),
  },
  {
    id: 'to-is-present',
    title: 'to is a string that is not empty',
    expected: 'a phone number',
    judge: (json) => isText(read(json, 'to')),
  },
  {
    id: 'channel-number-equals-from',
    title: 'channelNumber has the same value as from',
    expected: 'equal values',
    severity: 'high',
    judge: (json) =>
      read(json, 'channelNumber') !== undefined && read(json, 'channelNumber') === read(json, 'from'),
  },
  {
    id: 'customer-number-equals-to',
    title: 'customerNumber has the same value as to',
    expected: 'equal values',
    severity: 'high',
    judge: (json) =>
      read(json, 'customerNumber') !== undefined && read(json, 'customerNumber') === read(json, 'to'),
  },
  {
    id: 'agent-number-absent-not-empty',
    title: 'agentNumber is absent, not empty, when no team member took part',
    expected: 'no agentNumber, or a phone number',
    judge: (json) => read(json, 'agentNumber') === undefined || isText(read(json, 'agentNumber')),
  },
  {
    id: 'agent-number-absent-for-bots',
    title: 'agentNumber is absent for a bot call started by the API or a campaign',
    expected: 'no agentNumber',
    judge: (json) =>
      read(json, 'callType') === 'AI_BOT' && ['API', 'CAMPAIGN'].includes(String(read(json, 'triggeredVia')))
        ? read(json, 'agentNumber') === undefined
        : undefined,
  },
  {
    id: 'call-type-is-named',
    title: 'callType is AI_BOT or AGENT',
    expected: 'AI_BOT or AGENT',
    judge: (json) => CallType.safeParse(read(json, 'callType')).success,
  },
  {
    id: 'triggered-via-is-named',
    title: 'triggeredVia is INBOUND, CAMPAIGN, API or UI',
    expected: 'INBOUND, CAMPAIGN, API or UI',
    judge: (json) => TriggeredVia.safeParse(read(json, 'triggeredVia')).success,
  },
  {
    id: 'direction-fits-the-trigger',
    title: 'A call that the customer started is incoming, and no other',
    expected: 'INCOMING exactly with INBOUND',
    clause: '0024 (who sees which event)',
    decision: true,
    judge: (json) =>
      (read(json, 'callDirection') === 'INCOMING') === (read(json, 'triggeredVia') === 'INBOUND'),
  },
  {
    id: 'has-a-summary',
    title: 'summary is an object',
    expected: 'an object',
    severity: 'high',
    judge: (json) => typeof read(json, 'summary') === 'object' && read(json, 'summary') !== null,
  },
  {
    id: 'recap-is-a-string',
    title: 'summary.recap is a string',
    expected: 'a string',
    clause: '"Summary object"',
    severity: 'high',
    judge: (json) => typeof read(read(json, 'summary'), 'recap') === 'string',
  },
  {
    id: 'key-points-are-strings',
    title: 'summary.keyPoints is an array of strings',
    expected: 'an array of strings',
    clause: '"Summary object"',
    judge: (json) =>
      CallSummary.safeParse({ recap: '', nextSteps: [], keyPoints: read(read(json, 'summary'), 'keyPoints') })
        .success,
  },
  {
    id: 'next-steps-are-strings',
    title: 'summary.nextSteps is an array of strings',
    expected: 'an array of strings',
    clause: '"Summary object"',
    judge: (json) =>
      CallSummary.safeParse({ recap: '', keyPoints: [], nextSteps: read(read(json, 'summary'), 'nextSteps') })
        .success,
  },
]

const toRule = ({ id, judge, clause, ...rule }: FieldRule): Rule => ({
  ...rule,
  id: `events.summary.${id}`,
  clause: clause ?? payload,
  needs: playing,
  examine: (examination) => judgeSummaries(examination, judge),
})

const findAll = ({ lab }: Examination, { callId }: Pick<AnsweredCall, 'callId'>): ReceivedWebhook[] =>
  lab.listener?.webhooks.filter((each) => each.callId === callId) ?? []

const countSummaries = (webhooks: readonly ReceivedWebhook[]): number =>
  webhooks.filter(({ event, status }) => event === 'CALL_AI_SUMMARY' && status === 204).length

const judgeCall = async (
  examination: Examination,
  scene: Promise<AnsweredCall>,
  judge: (call: AnsweredCall, webhooks: readonly ReceivedWebhook[]) => Observation,
): Promise<Observation> => {
  const call = await scene
  await examination.scenes.settle()
  if (call.failure !== undefined) return { kept: undefined, observed: call.failure }
  return judge(call, findAll(examination, call))
}

const fireOnce = '"CALL_AI_SUMMARY", not emitted when: 2'

/** Rules of CALL_AI_SUMMARY. */
export const summaryRules: readonly Rule[] = [
  ...(['PSTN', 'WHATSAPP'] as const).map(
    (channel): Rule => ({
      id: `events.summary.arrives-for-${channel.toLowerCase()}`,
      title: `CALL_AI_SUMMARY is published for a ${channel} call`,
      clause: '"CALL_AI_SUMMARY": one event covers both channels',
      expected: `CALL_AI_SUMMARY whose channel is ${channel}`,
      severity: 'high',
      needs: playing,
      fix: `Publish CALL_AI_SUMMARY once the summary is saved. If the server does, subscribe the address of --listen to the events of a ${channel} number.`,
      examine: (examination) =>
        judgeCall(examination, examination.scenes.answered(channel), ({ summary, callId }) => ({
          kept: summary !== undefined && readField(summary.json, 'channel') === channel,
          observed:
            summary?.text ?? `no CALL_AI_SUMMARY for ${callId} within ${examination.lab.wait.timeoutMs} ms`,
        })),
    }),
  ),
  {
    id: 'events.summary.once-per-call',
    title: 'CALL_AI_SUMMARY is published once per call',
    clause: fireOnce,
    expected: 'one CALL_AI_SUMMARY',
    severity: 'high',
    needs: playing,
    examine: async (examination) => {
      const found = []
      for (const channel of ['PSTN', 'WHATSAPP'] as const) {
        const judge = (_: AnsweredCall, webhooks: readonly ReceivedWebhook[]): Observation => {
          const count = countSummaries(webhooks)
          return {
            kept: count === 0 ? undefined : count === 1,
            observed: `${count} CALL_AI_SUMMARY for the ${channel} call`,
          }
        }
        found.push(await judgeCall(examination, examination.scenes.answered(channel), judge))
      }
      return (
        found.find(({ kept }) => kept === false) ??
        found.find(({ kept }) => kept) ?? { kept: undefined, observed: 'no CALL_AI_SUMMARY arrived' }
      )
    },
  },
  {
    id: 'events.summary.after-call-ended',
    title: 'CALL_AI_SUMMARY arrives after CALL_ENDED of the same call',
    clause: '"CALL_AI_SUMMARY", rule 2',
    expected: 'CALL_ENDED first',
    severity: 'high',
    needs: playing,
    examine: async (examination) => {
      const calls = [await examination.scenes.answered('PSTN'), await examination.scenes.answered('WHATSAPP')]
      await examination.scenes.settle()
      const found = calls.map((call) => {
        const names = findAll(examination, call).map(({ event }) => event)
        const [ended, summary] = [names.indexOf('CALL_ENDED'), names.indexOf('CALL_AI_SUMMARY')]
        return {
          kept: summary < 0 ? undefined : ended >= 0 && ended < summary,
          observed: names.join(', ') || 'no webhook',
        }
      })
      return (
        found.find(({ kept }) => kept === false) ??
        found.find(({ kept }) => kept) ?? { kept: undefined, observed: 'no CALL_AI_SUMMARY arrived' }
      )
    },
  },
  {
    id: 'events.summary.waits-for-a-failed-call-ended',
    title: 'CALL_AI_SUMMARY waits until a failed CALL_ENDED was delivered',
    clause: '0021 (order of deliveries)',
    decision: true,
    expected: 'CALL_ENDED again, then CALL_AI_SUMMARY',
    needs: playing,
    examine: (examination) =>
      judgeCall(examination, examination.scenes.failedEnd(), (_, webhooks) => {
        const summary = webhooks.findIndex(({ event }) => event === 'CALL_AI_SUMMARY')
        const ended = webhooks.findIndex(({ event, status }) => event === 'CALL_ENDED' && status === 204)
        const observed =
          webhooks.map(({ event, status }) => `${event} (got ${status})`).join(', ') || 'no webhook'
        return { kept: summary < 0 ? undefined : ended >= 0 && ended < summary, observed }
      }),
  },
  {
    id: 'events.summary.failed-delivery-is-retried',
    title: 'A failed delivery of CALL_AI_SUMMARY is retried',
    clause: '"CALL_AI_SUMMARY", rule 3: failed deliveries are retried',
    expected: 'a second attempt',
    severity: 'high',
    needs: playing,
    examine: (examination) =>
      judgeCall(examination, examination.scenes.failedSummary(), ({ summary }, webhooks) => {
        const failed = webhooks.find(({ event, status }) => event === 'CALL_AI_SUMMARY' && status === 500)
        if (failed === undefined) return { kept: undefined, observed: 'no CALL_AI_SUMMARY arrived' }
        const waited = examination.lab.wait.retryTimeoutMs
        // The schedule is not specified: a later attempt would not be wrong.
        if (summary === undefined)
          return {
            kept: undefined,
            observed: `no second attempt within ${waited} ms; the schedule is not specified`,
          }
        return { kept: true, observed: `retried after ${summary.arrivedAt - failed.arrivedAt} ms` }
      }),
  },
  {
    id: 'events.summary.failed-delivery-keeps-the-summary',
    title: 'A failed delivery does not affect the summary',
    clause: '"CALL_AI_SUMMARY", rule 3',
    expected: 'the summary can be fetched with status 200 after the webhook got 500',
    severity: 'high',
    needs: playing,
    examine: (examination) =>
      judgeCall(examination, examination.scenes.failedSummary(), ({ fetched }) => ({
        kept: fetched && fetched.response.status === 200,
        observed: fetched === undefined ? 'not fetched' : describeResponse(fetched),
        requests: fetched && [fetched.request],
      })),
  },
  {
    id: 'events.summary.none-when-regenerated',
    title: 'Regenerating a summary publishes no second event',
    clause: fireOnce,
    expected: 'one CALL_AI_SUMMARY',
    severity: 'high',
    needs: [...playing, '--wabakit-control'],
    examine: (examination) =>
      judgeCall(examination, examination.scenes.regenerated(), (_, webhooks) => {
        const count = countSummaries(webhooks)
        return { kept: count === 0 ? undefined : count === 1, observed: `${count} CALL_AI_SUMMARY` }
      }),
  },
  {
    id: 'events.summary.none-for-a-silent-bot-test',
    title: 'A bot test call without webhooks publishes no summary',
    clause: '"CALL_AI_SUMMARY", not emitted when: 3',
    expected: 'no CALL_AI_SUMMARY',
    needs: [...playing, '--wabakit-control'],
    examine: async (examination) => {
      const { callId, failure } = await examination.scenes.botTest()
      await examination.scenes.settle()
      if (failure !== undefined) return { kept: undefined, observed: failure }
      const count = countSummaries(findAll(examination, { callId }))
      return { kept: count === 0, observed: `${count} CALL_AI_SUMMARY` }
    },
  },
  ...fieldRules.map(toRule),
]
