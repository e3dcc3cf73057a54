import type { CallSummary } from '@wabakit/contract'
import type { CallEnding, CallInput, CallRecord, OrganizationRecord, ReferenceServer } from '@wabakit/core'
import { RecordNotFoundError } from '@wabakit/core'

/** A summary to save; what is omitted of it is made up. */
export type SimulatedSummary = { readonly [Field in keyof CallSummary]?: CallSummary[Field] | undefined } & {
  /**
   * When, in milliseconds after the end of the call.
   * @default 0
   */
  readonly after?: number | undefined
}

/** A call to play, from its beginning to its summary. */
export type SimulatedCall = {
  readonly [Field in keyof CallInput]?: CallInput[Field] | undefined
} & CallEnding & {
    /** @default 'answered' */
    readonly outcome?: 'answered' | 'missed' | 'rejected' | 'not_picked' | undefined
    /**
     * The summary; `false`: none is saved.
     * @default a made-up one, if the call can have one and the organization's summaries are automatic
     */
    readonly summary?: SimulatedSummary | false | undefined
  }

/** Plays calls on the rules of the core, in real time. */
export type Simulation = {
  /**
   * Plays a call. All its steps are stored when it resolves, except for a summary that comes later (`after`).
   *
   * @throws what the core throws: the input is wrong, the call exists, there is no such organization.
   */
  call(organizationId: string, call: SimulatedCall): Promise<CallRecord>
  /** Forgets summaries that are still to come. */
  close(): void
}

/** What {@link createSimulation} works with. */
export type SimulationContext = {
  readonly service: Pick<ReferenceServer, 'organizations' | 'calls' | 'summaries'>
  /** Gets what went wrong with a summary that came later. */
  readonly onError: (error: unknown) => void
}

const madeUp: CallSummary = {
  recap: 'The customer asked where an order is and was told that it arrives tomorrow.',
  keyPoints: ['The order was sent on Monday.', 'The customer is at home tomorrow.'],
  nextSteps: ['Send the tracking link.'],
}

const defaultNumber = (
  { integrations, pstnNumbers }: OrganizationRecord,
  channel: CallInput['channel'],
): string => (channel === 'PSTN' ? pstnNumbers : integrations)[0]?.number ?? ''

const toInput = (call: SimulatedCall, organization: OrganizationRecord): CallInput => {
  const { outcome: _, summary: __, durationInSeconds: ___, recorded: ____, spoken: _____, ...given } = call
  const channel = given.channel ?? 'PSTN'
  return {
    ...given,
    channel,
    direction: given.direction ?? 'INCOMING',
    channelNumber: given.channelNumber ?? defaultNumber(organization, channel),
    customerNumber: given.customerNumber ?? '+15550199001',
  }
}

const canHaveSummary = ({ recorded = true, spoken = true }: CallEnding): boolean => recorded && spoken

/** Makes the simulation. */
export const createSimulation = ({ service, onError }: SimulationContext): Simulation => {
  const timers = new Set<NodeJS.Timeout>()

  const summarize = async (
    organization: OrganizationRecord,
    callId: string,
    call: SimulatedCall,
  ): Promise<void> => {
    const isAutomatic = organization.callSummaries === 'automatic'
    const wanted = call.summary ?? (isAutomatic && canHaveSummary(call) ? {} : false)
    if (wanted === false) return
    const {
      after = 0,
      recap = madeUp.recap,
      keyPoints = madeUp.keyPoints,
      nextSteps = madeUp.nextSteps,
    } = wanted
    const save = () =>
      service.summaries.save(
        organization.id,
        callId,
        { recap, keyPoints, nextSteps },
        { generatedBy: isAutomatic ? 'automatic' : 'team_member' },
      )
    if (after === 0) {
      await save()
      return
    }
    const timer = setTimeout(() => {
      timers.delete(timer)
      save().catch(onError)
    }, after)
    timers.add(timer)
  }

  const converse = async (organization: OrganizationRecord, callId: string, call: SimulatedCall) => {
    const { agentNumber, durationInSeconds = 60, recorded, spoken } = call
    await service.calls.accept(organization.id, callId, { agentNumber })
    const ended = await service.calls.end(organization.id, callId, { durationInSeconds, recorded, spoken })
    await summarize(organization, callId, call)
    return ended
  }

  return {
    call: async (organizationId, call) => {
      const organization = await service.organizations.find(organizationId)
      if (organization === undefined) throw new RecordNotFoundError('organization', organizationId)
      const { callId } = await service.calls.start(organizationId, toInput(call, organization))
      switch (call.outcome ?? 'answered') {
        case 'answered':
          return converse(organization, callId, call)
        case 'missed':
          return service.calls.miss(organizationId, callId)
        case 'rejected':
          return service.calls.reject(organizationId, callId)
        case 'not_picked':
          return service.calls.ringOut(organizationId, callId)
      }
    },
    close: () => {
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
    },
  }
}
