import { CallDirection, CallSummary, CallType, Channel, TriggeredVia } from '@wabakit/contract'
import * as z from 'zod/mini'
import { notFound } from '../not-found.ts'
import { operation } from '../operation.ts'
import { named } from '../schema-names.ts'
import { identifier, phoneNumber } from '../texts.ts'
import { CallView, showCall } from '../views/call.ts'

const tag = 'Calls'

const details = () => ({
  callId: z.optional(identifier()),
  callType: z.optional(CallType),
  triggeredVia: z.optional(TriggeredVia),
  agentNumber: z.optional(z.string()),
  botTest: z.optional(z.strictObject({ webhooks: z.boolean() })),
})

const ending = () => ({
  durationInSeconds: z.optional(z.number()),
  recorded: z.optional(z.boolean()),
  spoken: z.optional(z.boolean()),
})

const NewCall = named(
  'NewCallRequest',
  'A call that begins.',
  z.strictObject({
    channel: Channel,
    direction: CallDirection,
    channelNumber: phoneNumber(),
    customerNumber: phoneNumber(),
    ...details(),
  }),
)

const SimulatedCall = named(
  'SimulatedCallRequest',
  'A call to play from its beginning to its summary. Everything can be omitted: an incoming call of a minute to the first telephone number of the organization then, with a made-up summary. `summary: null` saves none.',
  z.strictObject({
    channel: z.optional(Channel),
    direction: z.optional(CallDirection),
    channelNumber: z.optional(phoneNumber()),
    customerNumber: z.optional(phoneNumber()),
    ...details(),
    ...ending(),
    outcome: z.optional(z.enum(['answered', 'missed', 'rejected', 'not_picked_up'])),
    summary: z.nullish(
      z.strictObject({
        recap: z.optional(z.string()),
        keyPoints: z.optional(z.array(z.string())),
        nextSteps: z.optional(z.array(z.string())),
        afterMs: z.optional(z.int().check(z.gte(0), z.lte(86_400_000))),
      }),
    ),
  }),
)

const CallStep = named(
  'CallStepRequest',
  'What happens to a call. `agentNumber` belongs to `accept`; the duration, `recorded` and `spoken` to `end`.',
  z.discriminatedUnion('step', [
    z.strictObject({ step: z.literal('accept'), agentNumber: z.optional(z.string()) }),
    z.strictObject({ step: z.literal('end'), ...ending() }),
    z.strictObject({ step: z.enum(['miss', 'reject', 'leave']) }),
  ]),
)

const SummaryRequest = named(
  'SummaryRequest',
  "A call's summary. The first one is told by CALL_AI_SUMMARY, every later one replaces it silently.",
  z.strictObject({
    recap: z.string(),
    keyPoints: z.array(z.string()),
    nextSteps: z.array(z.string()),
    generatedBy: z.optional(z.enum(['automatic', 'team_member'])),
  }),
)

const SavedSummary = named(
  'SavedSummary',
  'What saving a summary did.',
  z.object({ outcome: z.enum(['first', 'replaced']), summary: CallSummary }),
)

const path = '/organizations/:organizationId/calls'
const onePath = `${path}/:callId` as const

/** Operations on calls and their summaries. */
export const callOperations = [
  operation({
    id: 'simulateCall',
    method: 'POST',
    path: '/organizations/:organizationId/simulated-calls',
    summary: 'Play a whole call',
    tag,
    body: SimulatedCall,
    result: CallView,
    status: 201,
    run: async ({ parameter, body }, { simulation }) =>
      showCall(await simulation.call(parameter('organizationId'), body)),
  }),
  operation({
    id: 'startCall',
    method: 'POST',
    path,
    summary: 'Begin a call',
    tag,
    body: NewCall,
    result: CallView,
    status: 201,
    run: async ({ parameter, body }, { service }) =>
      showCall(await service.calls.start(parameter('organizationId'), body)),
  }),
  operation({
    id: 'getCall',
    method: 'GET',
    path: onePath,
    summary: 'A call',
    tag,
    result: CallView,
    run: async ({ parameter }, { service }) => {
      const callId = parameter('callId')
      const found = await service.calls.find(parameter('organizationId'), callId)
      if (found === undefined) throw notFound('call', callId)
      return showCall(found.call, found.summary)
    },
  }),
  operation({
    id: 'moveCall',
    method: 'POST',
    path: `${onePath}/steps`,
    summary: 'Let a call be accepted, ended, missed, rejected or not picked up',
    tag,
    body: CallStep,
    result: CallView,
    run: async ({ parameter, body }, { service: { calls } }) => {
      const call = [parameter('organizationId'), parameter('callId')] as const
      switch (body.step) {
        case 'accept':
          return showCall(await calls.accept(...call, { agentNumber: body.agentNumber }))
        case 'end': {
          const { step: _, ...ended } = body
          return showCall(await calls.end(...call, ended))
        }
        default:
          return showCall(await calls[body.step](...call))
      }
    },
  }),
  operation({
    id: 'saveSummary',
    method: 'POST',
    path: `${onePath}/summary`,
    summary: "Save a call's summary",
    tag,
    body: SummaryRequest,
    result: SavedSummary,
    run: async ({ parameter, body: { generatedBy = 'team_member', ...summary } }, { service }) => {
      const call = [parameter('organizationId'), parameter('callId')] as const
      const { outcome, record } = await service.summaries.save(...call, summary, { generatedBy })
      return { outcome, summary: record.summary }
    },
  }),
]
