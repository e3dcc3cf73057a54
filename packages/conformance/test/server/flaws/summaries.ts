import {
  type BrokenServer,
  changeEvent,
  changeSummary,
  drop,
  editEvents,
  editRecord,
  type Fields,
  isFetch,
  isObject,
  omit,
  sendLater,
  sendTwice,
  shift,
  swapParties,
  toJson,
  withId,
} from '../mutations.ts'
import type { Mutation } from '../reference.ts'

const setSummary = (name: string, value: unknown): Mutation =>
  changeSummary((body) => ({ ...body, [name]: value }))

const setPart = (name: string, value: unknown): Mutation =>
  changeSummary((body) => ({
    ...body,
    summary: { ...(isObject(body.summary) ? body.summary : {}), [name]: value },
  }))

/** Publishes a summary along with another event of the same call. */
const inventSummaryAt = (matches: (name: string, body: Fields) => boolean): Mutation => ({
  webhook: async (hook, send) => {
    const response = await send()
    if (!matches(String(hook.body.event), hook.body)) return response
    const summary = { recap: 'Invented.', keyPoints: [], nextSteps: [] }
    await send(
      withId(
        { ...hook, body: { ...hook.body, event: 'CALL_AI_SUMMARY', callStatus: 'END', summary } },
        `${hook.headers.get('webhook-id')}-x`,
      ),
    )
    return response
  },
})

const deny = (headers: Headers): Response =>
  toJson(
    404,
    { statusCode: 404, error: 'Not Found', message: 'There is no summary.', code: 'summary_not_found' },
    headers,
  )

function forgetUndelivered(): Mutation {
  const forgotten = new Set<unknown>()
  return {
    webhook: async (hook, send) => {
      const response = await send()
      if (hook.body.event === 'CALL_AI_SUMMARY' && response.status === 500) forgotten.add(hook.body.callId)
      return response
    },
    api: async (call, respond) => {
      const response = await respond()
      return isFetch(call) && forgotten.has(call.query.get('callId')) ? deny(response.headers) : response
    },
  }
}

/** Changes the durations of all events and records. */
const measureAs = (edit: (seconds: number) => number): Mutation => {
  const editFields = (body: Fields): Fields =>
    typeof body.durationInSeconds === 'number' ? { durationInSeconds: edit(body.durationInSeconds) } : {}
  return { ...editRecord(editFields), ...editEvents(editFields) }
}

const onlySummary = (edit: (body: Fields) => Fields): Mutation =>
  changeEvent('CALL_AI_SUMMARY', (body) => ({ ...body, ...edit(body) }))

/** Servers with one mistake each in CALL_AI_SUMMARY. */
export const createSummaryFlaws = (): BrokenServer[] => [
  {
    name: 'publishes no CALL_AI_SUMMARY',
    caughtBy: 'events.summary.arrives-for-pstn',
    ...drop('CALL_AI_SUMMARY'),
  },
  {
    name: 'publishes the summary twice',
    caughtBy: 'events.summary.once-per-call',
    ...sendTwice(({ body }) => body.event === 'CALL_AI_SUMMARY'),
  },
  {
    name: 'publishes the summary before CALL_ENDED',
    caughtBy: 'events.summary.after-call-ended',
    ...sendLater('CALL_ENDED', 'CALL_AI_SUMMARY'),
  },
  {
    name: 'publishes a summary for every call that starts',
    caughtBy: 'events.summary.none-when-missed',
    ...inventSummaryAt((name) => name.endsWith('_INITIATED')),
  },
  {
    name: 'publishes a summary for every call that ends',
    caughtBy: 'events.summary.none-when-no-recording',
    ...inventSummaryAt((name) => name === 'CALL_ENDED'),
  },
  {
    name: 'names the channel in lower case',
    caughtBy: 'events.summary.channel-is-named',
    ...changeSummary((body) => ({ ...body, channel: String(body.channel).toLowerCase() })),
  },
  {
    name: 'sends INBOUND as the direction',
    caughtBy: 'events.summary.call-direction-is-named',
    ...setSummary('callDirection', 'INBOUND'),
  },
  {
    name: 'sends ENDED in the summary',
    caughtBy: 'events.summary.call-status-is-never-ended',
    ...setSummary('callStatus', 'ENDED'),
  },
  {
    name: 'omits the status from the summary',
    caughtBy: 'events.summary.call-status-is-a-string',
    ...changeSummary((body) => omit(body, 'callStatus')),
  },
  {
    name: 'sends the duration as a string',
    caughtBy: 'events.summary.duration-is-a-number',
    ...setSummary('durationInSeconds', '42'),
  },
  {
    name: 'sends Unix times',
    caughtBy: 'events.summary.started-at-is-iso-8601',
    ...setSummary('callStartedAt', 1_760_000_000),
  },
  {
    name: 'sends an empty end time',
    caughtBy: 'events.summary.ended-at-is-iso-8601',
    ...setSummary('callEndedAt', ''),
  },
  {
    name: 'swaps start and end',
    caughtBy: 'events.summary.ended-at-is-not-before-started-at',
    ...changeSummary((body) => ({
      ...body,
      callStartedAt: body.callEndedAt,
      callEndedAt: body.callStartedAt,
    })),
  },
  {
    name: 'sends local time',
    caughtBy: 'events.summary.timestamps-are-utc',
    ...setSummary('callEndedAt', '2099-01-01T10:00:00+05:30'),
  },
  {
    name: 'swaps from and to',
    caughtBy: 'events.summary.channel-number-equals-from',
    ...changeSummary((body) => ({ ...body, from: body.to, to: body.from })),
  },
  {
    name: 'omits customerNumber',
    caughtBy: 'events.summary.customer-number-equals-to',
    ...changeSummary((body) => omit(body, 'customerNumber')),
  },
  {
    name: 'sends an empty agentNumber',
    caughtBy: 'events.summary.agent-number-absent-not-empty',
    ...changeSummary((body) => ({ agentNumber: '', ...body })),
  },
  {
    name: 'sends null as agentNumber',
    caughtBy: 'events.summary.agent-number-absent-not-empty',
    ...changeSummary((body) => ({ agentNumber: null, ...body })),
  },
  {
    name: 'sends the name of the agent as agentNumber',
    caughtBy: 'events.summary.agent-number-is-a-phone-number',
    ...changeSummary((body) => ('agentNumber' in body ? { ...body, agentNumber: 'Grace Hopper' } : body)),
  },
  {
    name: 'sends the id of the customer as to',
    caughtBy: 'events.summary.to-is-a-phone-number',
    ...changeSummary((body) => ({ ...body, to: 'customer-9', customerNumber: 'customer-9' })),
  },
  {
    name: 'sends an empty from',
    caughtBy: 'events.summary.from-is-a-phone-number',
    ...changeSummary((body) => ({ ...body, from: '', channelNumber: '' })),
  },
  {
    name: 'names an agent in bot calls',
    caughtBy: 'events.summary.agent-number-absent-for-bots',
    ...changeSummary((body) => ({ agentNumber: '+15550190008', ...body })),
  },
  {
    name: 'sends an unspecified call type',
    caughtBy: 'events.summary.call-type-is-named',
    ...setSummary('callType', 'BOT'),
  },
  {
    name: 'sends an unspecified trigger',
    caughtBy: 'events.summary.triggered-via-is-named',
    ...setSummary('triggeredVia', 'app'),
  },
  {
    name: 'sends the summary as a string',
    caughtBy: 'events.summary.has-a-summary',
    ...setSummary('summary', 'The customer asked.'),
  },
  {
    name: 'omits the recap',
    caughtBy: 'events.summary.recap-is-a-string',
    ...setPart('recap', undefined),
  },
  {
    name: 'sends key points as a single string',
    caughtBy: 'events.summary.key-points-are-strings',
    ...setPart('keyPoints', 'one, two'),
  },
  {
    name: 'sends null as next steps',
    caughtBy: 'events.summary.next-steps-are-strings',
    ...setPart('nextSteps', null),
  },
  {
    name: 'forgets a summary that could not be delivered',
    caughtBy: 'events.summary.failed-delivery-keeps-the-summary',
    ...forgetUndelivered(),
  },
  {
    name: 'lets the summary overtake a failed CALL_ENDED',
    caughtBy: 'events.summary.waits-for-a-failed-call-ended',
    webhook: async (hook, send) => {
      const response = await send()
      if (hook.body.event === 'CALL_ENDED' && response.status === 500) {
        const summary = { recap: 'Early.', keyPoints: [], nextSteps: [] }
        await send(withId({ ...hook, body: { ...hook.body, event: 'CALL_AI_SUMMARY', summary } }, 'early'))
      }
      return response
    },
  },
  {
    name: 'names another customer in the summary',
    caughtBy: 'events.summary.names-the-customer-of-its-call',
    ...changeEvent('CALL_AI_SUMMARY', (body) => ({ ...body, customerNumber: '+15550190099' })),
  },
  {
    name: 'swaps from and to everywhere',
    caughtBy: 'events.summary.from-is-the-own-number',
    ...editRecord(swapParties),
    ...editEvents(swapParties),
  },
  {
    name: 'swaps from and to for PSTN calls',
    caughtBy: 'events.summary.from-is-the-own-number',
    ...editEvents((body) => (body.channel === 'PSTN' ? swapParties(body) : {})),
  },
  {
    name: 'swaps from and to in CALL_ENDED',
    caughtBy: 'events.summary.agrees-with-the-other-events',
    ...changeEvent('CALL_ENDED', (body) => ({ ...body, ...swapParties(body) })),
  },
  {
    name: 'measures durations in milliseconds',
    caughtBy: 'events.summary.duration-fits-the-times',
    ...measureAs((seconds) => seconds * 1_000),
  },
  {
    name: 'measures durations in minutes',
    caughtBy: 'events.summary.duration-fits-the-times',
    ...measureAs((seconds) => seconds / 60),
  },
  {
    name: 'measures durations until now',
    caughtBy: 'events.summary.duration-fits-the-times',
    ...measureAs((seconds) => seconds + 60),
  },
  {
    name: 'states other times in the summary than in CALL_ENDED',
    caughtBy: 'events.summary.agrees-with-the-other-events',
    ...onlySummary((body) => ({
      callStartedAt: shift(body.callStartedAt, -3_600_000),
      callEndedAt: shift(body.callEndedAt, -3_600_000),
    })),
  },
  {
    name: 'states another start in CALL_ACCEPTED than in the summary',
    caughtBy: 'events.summary.agrees-with-the-other-events',
    ...changeEvent('CALL_ACCEPTED', (body) => ({
      ...body,
      callStartedAt: shift(body.callStartedAt, -3_600_000),
    })),
  },
  {
    name: 'states when the summary was generated as the end',
    caughtBy: 'events.summary.agrees-with-the-other-events',
    ...onlySummary((body) => ({ callEndedAt: shift(body.callEndedAt, 15_000) })),
  },
  {
    name: 'states another direction in the summary than in CALL_ENDED',
    caughtBy: 'events.summary.agrees-with-the-other-events',
    ...onlySummary(() => ({ callDirection: 'INCOMING', triggeredVia: 'INBOUND', callType: 'AGENT' })),
  },
  {
    name: 'states a direction that contradicts the trigger',
    caughtBy: 'events.summary.direction-fits-the-trigger',
    ...onlySummary(() => ({ triggeredVia: 'UI' })),
  },
  {
    name: 'writes END in lower case',
    caughtBy: 'events.summary.call-status-is-never-ended',
    ...onlySummary(() => ({ callStatus: 'end' })),
  },
  {
    name: 'states the duration in milliseconds in CALL_ENDED',
    caughtBy: 'events.summary.agrees-with-the-other-events',
    ...changeEvent('CALL_ENDED', (body) => ({
      ...body,
      durationInSeconds: Number(body.durationInSeconds) * 1_000,
    })),
  },
  {
    name: 'states the number of the customer as that of the agent',
    caughtBy: 'events.summary.agent-number-is-not-the-customers',
    ...onlySummary((body) => ({ agentNumber: body.customerNumber })),
  },
  {
    name: 'publishes a summary of every telephone call that begins',
    caughtBy: 'events.summary.none-when-missed',
    ...inventSummaryAt((name, { channel }) => name.endsWith('_INITIATED') && channel === 'PSTN'),
  },
  {
    name: 'publishes a summary of every WhatsApp call that begins',
    caughtBy: 'events.summary.none-when-rejected',
    ...inventSummaryAt((name, { channel }) => name.endsWith('_INITIATED') && channel === 'WHATSAPP'),
  },
  {
    name: 'publishes no summary of outgoing telephone calls',
    caughtBy: 'events.summary.arrives-for-every-call',
    webhook: async ({ body: { event, channel, callDirection } }, send) =>
      event === 'CALL_AI_SUMMARY' && channel === 'PSTN' && callDirection === 'OUTGOING'
        ? new Response(null, { status: 204 })
        : send(),
  },
  {
    name: 'publishes no summary of incoming WhatsApp calls',
    caughtBy: 'events.summary.arrives-for-every-call',
    webhook: async ({ body: { event, channel, callDirection } }, send) =>
      event === 'CALL_AI_SUMMARY' && channel === 'WHATSAPP' && callDirection === 'INCOMING'
        ? new Response(null, { status: 204 })
        : send(),
  },
  {
    name: 'sends COMPLETED in the summary',
    caughtBy: 'events.summary.call-status-is-never-ended',
    ...setSummary('callStatus', 'COMPLETED'),
  },
  {
    name: 'names an agent in incoming calls of a bot',
    caughtBy: 'events.summary.agent-number-absent-for-bots',
    ...changeSummary((body) => (body.callDirection === 'INCOMING' ? { ...body, callType: 'AI_BOT' } : body)),
  },
  {
    name: 'states the number of the call as that of the agent',
    caughtBy: 'events.summary.agent-number-is-not-the-customers',
    ...changeSummary((body) => ({ ...body, agentNumber: body.channelNumber })),
  },
  {
    name: 'names no agent',
    caughtBy: 'events.summary.agent-number-is-present-for-agents',
    ...changeSummary((body) => omit(body, 'agentNumber')),
  },
  {
    name: 'states another trigger in CALL_ENDED than in the summary',
    caughtBy: 'events.summary.agrees-with-the-other-events',
    ...changeEvent('CALL_ENDED', (body) => ({
      ...body,
      triggeredVia: body.triggeredVia === 'API' ? 'CAMPAIGN' : body.triggeredVia,
    })),
  },
  {
    name: 'states another agent in CALL_ENDED than in the summary',
    caughtBy: 'events.summary.agrees-with-the-other-events',
    ...changeEvent('CALL_ENDED', (body) =>
      'agentNumber' in body ? { ...body, agentNumber: '+15550190077' } : body,
    ),
  },
  {
    name: 'swaps the numbers of outgoing telephone calls in CALL_ENDED',
    caughtBy: 'events.summary.agrees-with-the-other-events',
    ...changeEvent('CALL_ENDED', (body) =>
      body.channel === 'PSTN' && body.callDirection === 'OUTGOING' ? { ...body, ...swapParties(body) } : body,
    ),
  },
]
