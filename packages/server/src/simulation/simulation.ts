import type { CallSummary } from '@wabakit/contract'
import type { CallEnding, CallInput, CallRecord, OrganizationRecord, ReferenceServer } from '@wabakit/core'
import { RecordNotFoundError, StorageOutcomeUnknownError, StorageUnavailableError } from '@wabakit/core'

/** A summary to save; what is omitted of it is made up. */
export type SimulatedSummary = { readonly [Field in keyof CallSummary]?: CallSummary[Field] | undefined } & {
  /**
   * When, in milliseconds after the end of the call.
   * @default 0
   */
  readonly afterMs?: number | undefined
}

/** A call to play, from its beginning to its summary. */
export type SimulatedCall = {
  readonly [Field in keyof CallInput]?: CallInput[Field] | undefined
} & CallEnding & {
    /** @default 'answered' */
    readonly outcome?: 'answered' | 'missed' | 'rejected' | 'not_picked_up' | undefined
    /**
     * The summary; `null`: none is saved.
     * @default a made-up one, if the call can have one and the organization's summaries are automatic
     */
    readonly summary?: SimulatedSummary | null | undefined
  }

/** Plays calls on the rules of the core, in real time. */
export type Simulation = {
  /**
   * Plays a call. All its steps are stored when it resolves, except for a summary that comes later (`afterMs`).
   *
   * @throws what the core throws: the input is wrong, the call exists, there is no such organization.
   * @throws StorageOutcomeUnknownError when the store failed after the call had begun.
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

  const summarise = async (
    organization: OrganizationRecord,
    callId: string,
    call: SimulatedCall,
  ): Promise<void> => {
    const isAutomatic = organization.callSummaries === 'automatic'
    const wanted =
      call.summary ?? (call.summary === undefined && isAutomatic && canHaveSummary(call) ? {} : undefined)
    if (wanted === undefined) return
    const {
      afterMs = 0,
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
    if (afterMs === 0) {
      await save()
      return
    }
    const timer = setTimeout(() => {
      timers.delete(timer)
      save().catch(onError)
    }, afterMs)
    timers.add(timer)
  }

  const converse = async (organization: OrganizationRecord, callId: string, call: SimulatedCall) => {
    const { agentNumber, durationInSeconds = 60, recorded, spoken } = call
    await service.calls.accept(organization.id, callId, { agentNumber })
    const ended = await service.calls.end(organization.id, callId, { durationInSeconds, recorded, spoken })
    await summarise(organization, callId, call)
    return ended
  }

  const play = async (organization: OrganizationRecord, callId: string, call: SimulatedCall) => {
    switch (call.outcome ?? 'answered') {
      case 'answered':
        return converse(organization, callId, call)
      case 'missed':
        return service.calls.miss(organization.id, callId)
      case 'rejected':
        return service.calls.reject(organization.id, callId)
      case 'not_picked_up':
        return service.calls.leave(organization.id, callId)
    }
  }

  return {
    call: async (organizationId, call) => {
      const organization = await service.organizations.find(organizationId)
      if (organization === undefined) throw new RecordNotFoundError('organization', organizationId)
      const { callId } = await service.calls.start(organizationId, toInput(call, organization))
      return play(organization, callId, call).catch((cause) => {
        if (!(cause instanceof StorageUnavailableError)) throw cause
        const message = `The call ${callId} began, and was then interrupted. Look at it before you simulate another.`
        throw new StorageOutcomeUnknownError(message, { cause })
      })
    },
    close: () => {
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
    },
  }
}
