import type { AttemptRecord, DeliveryProgress, DeliveryRecord } from '../records.ts'
import type { Settlement } from '../store.ts'
import { type DecidedHealth, decideHealth, type Health, isFailure } from './decide-health.ts'

/**
 * The state of an unfinished delivery in its lane.
 * - `fresh`: never attempted since it was created or sent again.
 * - `started`: attempted before. It blocks its lane.
 * - `passable`: attempted before. It has released its lane.
 */
export type LaneState = 'fresh' | 'started' | 'passable'

/** The changes that a settlement makes to a delivery. `dueAt` is `null` once it is finished. */
export type SettledDelivery = DeliveryProgress &
  Pick<DeliveryRecord, 'dueAt' | 'finishedAt'> & {
    readonly state: LaneState | 'delivered' | 'exhausted' | 'skipped'
  }

/** A delivery and its subscription before a settlement. */
export type BeforeSettlement = {
  readonly delivery: Omit<SettledDelivery, 'dueAt'>
  readonly subscription: Health
}

/** All changes that a settlement makes. */
export type DecidedSettlement = DecidedHealth & {
  readonly delivery: SettledDelivery
  readonly attempt: Omit<AttemptRecord, 'deliveryId'>
}

/** Returns a delivery after its settlement. */
export const toSettledRecord = (delivery: DeliveryRecord, settled: SettledDelivery): DeliveryRecord => {
  const { state, ...changes } = settled
  const isFinished = state === 'delivered' || state === 'exhausted' || state === 'skipped'
  return { ...delivery, ...changes, status: isFinished ? state : 'pending' }
}

type Outcome = Pick<SettledDelivery, 'state' | 'dueAt' | 'finishedAt'>

const finish = (state: SettledDelivery['state'], finishedAt: number): Outcome => ({
  state,
  finishedAt,
  dueAt: null,
})

const decideOutcome = (
  { result, now }: Settlement,
  { state, finishedAt }: BeforeSettlement['delivery'],
  isDisabled: boolean,
): Outcome => {
  if (result.kind === 'delivered') return finish('delivered', now)
  if (state === 'skipped') return finish('skipped', finishedAt ?? now)
  if (result.kind === 'exhausted') return finish('exhausted', now)
  if (isDisabled || !('delayMs' in result)) return finish('skipped', now)
  const isPassable = state === 'passable' || (result.kind === 'retry' && result.releasesLane)
  return { state: isPassable ? 'passable' : 'started', dueAt: now + result.delayMs, finishedAt: null }
}

/**
 * Decides which changes a settlement makes. A store calls this for an unfinished delivery, or for a delivery that
 * became `skipped` during its attempt.
 */
export const decideSettlement = (before: BeforeSettlement, settlement: Settlement): DecidedSettlement => {
  const { delivery, subscription } = before
  const { result } = settlement
  const health = decideHealth(before, settlement)
  const isDisabled = subscription.disabledReason !== null || health.disabled !== null
  const succeeded = result.kind === 'delivered'
  const deferred = result.kind === 'deferred'
  const attempts = delivery.attempts + 1
  return {
    delivery: {
      ...decideOutcome(settlement, delivery, isDisabled),
      attempts,
      failures: delivery.failures + Number(isFailure(result)),
      deferrals: delivery.deferrals + Number(deferred),
      deferredMs: delivery.deferredMs + (deferred ? result.delayMs : 0),
    },
    attempt: { ...result.attempt, number: attempts, succeeded, deferred },
    ...health,
  }
}
