import { CallSummary } from '@wabakit/contract'
import * as z from 'zod/mini'
import { CallInput } from '../../calls/call-input.ts'
import { CallAcceptance, CallEnding } from '../../calls/call-steps.ts'
import { requireFound } from '../../hosting/control-error.ts'
import type { CallRecord } from '../../index.ts'
import { CallSimulation, Duration, LaterSummary, toMilliseconds } from '../../simulation/index.ts'
import { optional } from '../../values/input-schemas.ts'
import { phoneDigits, recordFilter, text } from '../filters.ts'
import { operationIn } from '../operation.ts'
import { named, page, pageQuery, time } from '../schemas.ts'
import { findSummaryArrival } from '../timeline/find-summary-arrival.ts'
import { CallView, ListedCallView, showCall } from '../views/call.ts'

const operation = operationIn('Calls')

const NewCall = named('NewCallRequest', 'A call to start.', CallInput)

const withinOneDay = Duration.check(
  z.refine((duration) => (toMilliseconds(duration) ?? 0) <= 86_400_000, {
    error: "must be a duration of at most one day: milliseconds, or a string such as '30s'",
  }),
)

const SimulatedCall = named(
  'SimulatedCallRequest',
  "A call to simulate from its start to its summary. By default, it is an answered incoming call to the organization's first telephone number, with generated people and, if the organization has automatic summaries, a generated summary. `summary: false` omits the summary. `summary.after` delays it by milliseconds or by a duration such as `30s`.",
  z.extend(CallSimulation, {
    // A delayed summary exists only in this process, and is lost when the process stops.
    summary: optional(
      z.union([
        z.literal(false),
        z.extend(LaterSummary, { after: optional(withinOneDay, 'Delay of the summary, such as 30s.') }),
      ]),
      '`false` for none, or its parts. Default: as the organization says.',
    ),
  }),
)

const CallStep = named(
  'CallStepRequest',
  'A step of a call. `agentNumber` and, for a past call, `startedAt` are fields of `accept`; the duration, `recorded` and `spoken` are fields of `end`.',
  z.discriminatedUnion('step', [
    z.strictObject({ step: z.literal('accept'), ...CallAcceptance.shape, startedAt: z.optional(time) }),
    z.strictObject({ step: z.literal('end'), ...CallEnding.shape }),
    z.strictObject({ step: z.enum(['miss', 'reject']) }),
  ]),
)

const SummaryRequest = named(
  'SummaryRequest',
  "A call's summary. The first one publishes CALL_AI_SUMMARY, unless the call publishes no events. Later ones replace it without an event.",
  z.strictObject({
    recap: z.string(),
    keyPoints: z.array(z.string()),
    nextSteps: z.array(z.string()),
    generatedBy: z.optional(z.enum(['automatic', 'team_member'])),
  }),
)

const SavedSummary = named(
  'SavedSummary',
  'The result of saving a summary.',
  z.object({ outcome: z.enum(['first', 'replaced']), summary: CallSummary }),
)

const path = '/organizations/:organizationId/calls'
const onePath = `${path}/:callId` as const

export const callOperations = [
  operation({
    id: 'simulateCall',
    route: 'POST /organizations/:organizationId/simulated-calls',
    summary: 'Simulate a complete call',
    body: SimulatedCall,
    result: CallView,
    status: 201,
    run: async ({ params: { organizationId }, body }, { simulation, service }) => {
      const call = await simulation.simulateCall(organizationId, body)
      const found = await service.calls.find(organizationId, call.callId)
      return showCall(found?.call ?? call, found?.summary)
    },
  }),
  operation({
    id: 'startCall',
    route: `POST ${path}`,
    summary: 'Start a call',
    body: NewCall,
    result: CallView,
    status: 201,
    run: async ({ params, body }, { service }) =>
      showCall(await service.calls.start(params.organizationId, body)),
  }),
  operation({
    id: 'listCalls',
    route: `GET ${path}`,
    summary: 'List calls without their summaries, newest first',
    query: z.strictObject({
      ...pageQuery,
      ...recordFilter,
      customer: optional(phoneDigits, "The customer's number."),
      state: optional(CallView.shape.state, 'State of the call.'),
      text: z.optional(
        text("A part of the id of a call or of its customer's number, in any case of ASCII letters."),
      ),
    }),
    result: page('ListedCall', ListedCallView),
    run: async ({ params: { organizationId }, query: { number, customer, ...query } }, { service }) => {
      const selection = { ...query, digits: number, customerDigits: customer }
      const { items, ...rest } = await service.calls.list(organizationId, selection)
      const show = async (call: CallRecord) => ({
        ...showCall(call),
        ...(await findSummaryArrival(service, call)),
      })
      return { ...rest, items: await Promise.all(items.map(show)) }
    },
  }),
  operation({
    id: 'getCall',
    route: `GET ${onePath}`,
    summary: 'Get a call',
    result: ListedCallView,
    run: async ({ params: { organizationId, callId } }, { service }) => {
      const found = await service.calls.find(organizationId, callId)
      const { call, summary } = requireFound(found, 'call', callId)
      return { ...showCall(call, summary), ...(await findSummaryArrival(service, call)) }
    },
  }),
  operation({
    id: 'moveCall',
    route: `POST ${onePath}/steps`,
    summary: 'Accept, end, miss or reject a call',
    body: CallStep,
    result: CallView,
    run: async ({ params, body }, { service: { calls } }) => {
      const call = [params.organizationId, params.callId] as const
      switch (body.step) {
        case 'accept': {
          const { step: _, ...acceptance } = body
          return showCall(await calls.accept(...call, acceptance))
        }
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
    route: `POST ${onePath}/summary`,
    summary: "Save a call's summary",
    body: SummaryRequest,
    result: SavedSummary,
    run: async ({ params, body: { generatedBy = 'team_member', ...summary } }, { service }) => {
      const call = [params.organizationId, params.callId] as const
      const { outcome, record } = await service.summaries.save(...call, summary, { generatedBy })
      return { outcome, summary: record.summary }
    },
  }),
]
