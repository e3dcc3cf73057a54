import { CallDirection, CallType, Channel, TriggeredVia } from '@wabakit/contract'
import type { CallRecord, ReferenceServer, SavedSummary } from '@wabakit/core'
import * as core from '@wabakit/core/simulation'
import * as z from 'zod/mini'
import type { Account } from '../data/account.ts'
import { buildObservedCallEvent, type ObservedCallEventName } from '../data/observed-call-event.ts'
import { MockUsageError } from '../errors.ts'
import { parseInput, toUsageError } from '../input.ts'
import { durationSchema } from '../time/duration.ts'
import type { Scheduler } from '../time/scheduler.ts'

/** The parts of a mock that simulations use. */
export type SimulationContext = {
  readonly account: Account
  readonly server: ReferenceServer
  readonly scheduler: Scheduler
  /** Makes up data for the next call. */
  createCallData(): core.CallData
  /** Publishes an event that the server itself would not publish. */
  publish(
    payload: object,
    channel: 'PSTN' | 'WHATSAPP',
    options?: { readonly forged?: boolean },
  ): Promise<void>
  /** Whether simulated calls that were not answered end with the events of live services, by default. */
  readonly observedEvents: boolean
}

/** A call to simulate. By default: an answered incoming PSTN call between made-up people. @interface */
export type CallSimulation = core.CallSimulation & {
  /**
   * Also sends the event with which a live service ends a call that was not answered: CALL_MISSED; CALL_REJECTED for a
   * rejected WhatsApp call; CALL_ENDED for an outgoing WhatsApp call that was not answered.
   * @default false; true in the profile `live`
   */
  readonly observedEvents?: boolean | undefined
  /**
   * Number of agents who do not answer an incoming WhatsApp call in time, 0 to 100. For each, a CALL_NOT_PICKED is sent
   * before the outcome of the call.
   * @default 0
   */
  readonly notPicked?: number | undefined
}

const summarySchema = z.strictObject({
  recap: z.optional(z.string()),
  keyPoints: z.optional(z.readonly(z.array(z.string()))),
  nextSteps: z.optional(z.readonly(z.array(z.string()))),
  generatedBy: z.optional(z.enum(['automatic', 'team_member'])),
} satisfies Record<keyof core.SummarySimulation, unknown>)

const laterSummarySchema = z.extend(summarySchema, { after: z.optional(durationSchema) })

const text = () => z.optional(z.string().check(z.minLength(1)))

export const callSchema = z.strictObject({
  callId: text(),
  channel: z.optional(Channel),
  direction: z.optional(CallDirection),
  outcome: z.optional(z.enum(['answered', 'missed', 'rejected', 'no_recording', 'nothing_said'])),
  durationInSeconds: z.optional(z.int().check(z.minimum(0))),
  channelNumber: text(),
  customerNumber: text(),
  agentNumber: text(),
  callType: z.optional(CallType),
  triggeredVia: z.optional(TriggeredVia),
  botTest: z.optional(z.strictObject({ webhooks: z.boolean() })),
  summary: z.optional(z.union([z.literal(false), laterSummarySchema])),
  observedEvents: z.optional(z.boolean()),
  notPicked: z.optional(z.int().check(z.minimum(0), z.maximum(100))),
} satisfies Record<keyof CallSimulation, unknown>)

/** Returns the name of the event with which a live service ends a call that was not answered. */
const findObservedEnd = ({
  state,
  channel,
  direction,
}: core.SimulatedCall): ObservedCallEventName | undefined => {
  if (state !== 'missed' && state !== 'rejected') return undefined
  if (channel === 'PSTN') return 'CALL_MISSED'
  if (state === 'rejected') return 'CALL_REJECTED'
  return direction === 'INCOMING' ? 'CALL_MISSED' : 'CALL_ENDED'
}

export const simulateCall = async (
  { server, account, scheduler, createCallData, publish, ...context }: SimulationContext,
  input: CallSimulation = {},
): Promise<core.SimulatedCall> => {
  const caller = 'simulateCall'
  // Checks the summary separately, because a union does not report which of its fields is unknown.
  if (typeof input.summary === 'object') parseInput(`${caller}: summary`, laterSummarySchema, input.summary)
  const {
    observedEvents = context.observedEvents,
    notPicked = 0,
    ...simulation
  } = parseInput(caller, callSchema, input)
  if (notPicked > 0 && (simulation.channel !== 'WHATSAPP' || simulation.direction === 'OUTGOING')) {
    const message = 'notPicked needs channel: "WHATSAPP" and direction: "INCOMING".'
    throw new MockUsageError(`${caller}: ${message} Only such a call rings for one agent after another.`)
  }
  const data = createCallData()
  const { customerName } = data
  const onRinging = async (call: CallRecord): Promise<void> => {
    for (let count = 0; count < notPicked; count += 1) {
      await publish(buildObservedCallEvent('CALL_NOT_PICKED', { ...call, customerName }), call.channel)
    }
  }
  const schedule: core.SimulationContext['schedule'] = (delayMs, run, description) =>
    scheduler.schedule({ at: scheduler.now() + delayMs, description, run })
  const { organizationId } = account
  const call = await core
    .simulateCall({ server, organizationId, data, onRinging, schedule }, simulation)
    .catch((error) => Promise.reject(toUsageError(caller, error)))

  const name = observedEvents ? findObservedEnd(call) : undefined
  if (name !== undefined) {
    await publish(buildObservedCallEvent(name, { ...call, customerName }), call.channel)
  }
  return call
}

export const simulateSummary = async (
  { account: { organizationId }, server, createCallData }: SimulationContext,
  callId: string,
  input: core.SummarySimulation = {},
): Promise<SavedSummary> => {
  const parsed = parseInput('simulateSummary', summarySchema, input)
  const organization = await server.organizations.find(organizationId)
  const byDefault = organization?.callSummaries === 'automatic' ? 'automatic' : 'team_member'
  return server.summaries.save(organizationId, callId, core.completeSummary(parsed, createCallData()), {
    generatedBy: parsed.generatedBy ?? byDefault,
  })
}
