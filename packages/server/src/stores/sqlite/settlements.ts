import type { DatabaseSync } from 'node:sqlite'
import type {
  DeliveryRecord,
  DisabledReason,
  Pace,
  Settlement,
  SettlementOutcome,
  SettlementResult,
} from '@wabakit/core'
import { type DeliveryKey, parseDeliveryId } from '../delivery-id.ts'
import type { DueTimes } from './due-times.ts'
import type { Lanes } from './lanes.ts'
import type { LaneState, Lease, Leases } from './leases.ts'
import { insertInto, mapTable } from './records.ts'
import type { Subscriptions } from './subscriptions.ts'

/** See {@link Store.settleDelivery}. */
export type Settle = (settlement: Settlement) => SettlementOutcome

export type SettleOptions = {
  readonly database: DatabaseSync
  readonly lanes: Lanes
  readonly dueTimes: DueTimes
  readonly leases: Leases
  readonly findSubscription: Subscriptions['findState']
  /** Called when a delivery becomes due. */
  readonly onDue: () => void
  /** Called when the pace of a subscription has changed. */
  readonly onPace: (subscription: number) => void
}

const attempts = mapTable('attempts')

/** The state of a delivery after a settlement. */
type DeliveryState = Pick<DeliveryRecord, 'status' | 'dueAt' | 'finishedAt'> & Pick<Lease, 'laneState'>

const finish = (status: DeliveryRecord['status'], finishedAt: number): DeliveryState => ({
  status,
  finishedAt,
  dueAt: null,
  laneState: null,
})

const retry = (dueAt: number, laneState: LaneState): DeliveryState => ({
  status: 'pending',
  finishedAt: null,
  dueAt,
  laneState,
})

const decideState = (
  { result, now }: Settlement,
  { delivery: { status, finishedAt }, laneState }: Lease,
  isDisabled: boolean,
): DeliveryState => {
  if (result.kind === 'delivered') return finish('delivered', now)
  if (status === 'skipped') return finish('skipped', finishedAt ?? now)
  if (result.kind === 'exhausted') return finish('exhausted', now)
  if (result.kind === 'released' && !isDisabled) return retry(now, laneState)
  if (result.kind === 'deferred' && !isDisabled) return retry(now + result.delayMs, laneState)
  if (result.kind === 'retry' && !isDisabled) {
    return retry(now + result.delayMs, result.releasesLane ? 'passable' : laneState)
  }
  return finish('skipped', now)
}

const decideFailingSince = (result: SettlementResult, failingSince: number | null): number | null => {
  if (result.kind === 'released' || result.kind === 'deferred') return failingSince
  return result.kind === 'delivered' ? null : (failingSince ?? result.attempt.startedAt)
}

const decidePace = ({ result, isSlow = false }: Settlement, current: Pace): Pace => {
  if (result.kind === 'released') return current
  if (result.kind === 'deferred') return isSlow ? 'slow' : current
  if (result.kind !== 'delivered') return 'failing'
  return isSlow ? 'slow' : 'quick'
}

const findReasonToDisable = (
  { result, now, failingLimitMs }: Settlement,
  failingSince: number | null,
): DisabledReason | null => {
  if (result.kind === 'gone') return 'gone'
  const isFailure = result.kind === 'retry' || result.kind === 'exhausted'
  const isFailing = isFailure && failingSince !== null && now - failingSince >= failingLimitMs
  return isFailing ? 'failing' : null
}

export const createSettle = (options: SettleOptions): Settle => {
  const { database, lanes, dueTimes, leases, findSubscription, onDue, onPace } = options
  const update = database.prepare(
    `update deliveries
     set status = ?, laneState = ?, dueAt = ?, finishedAt = ?, attempts = ?, failures = ?, deferrals = ?, deferredMs = ?
     where event = ? and subscription = ?`,
  )
  const insertAttempt = database.prepare(
    insertInto('attempts', ['event', 'subscription', ...attempts.columns]),
  )
  const updateHealth = database.prepare('update subscriptions set failingSince = ?, pace = ? where seq = ?')
  const disable = database.prepare(
    'update subscriptions set revision = revision + 1, disabledReason = ?, updatedAt = ? where seq = ?',
  )

  /** Returns false if the delivery was removed. */
  const write = (key: DeliveryKey, delivery: DeliveryRecord, laneState: LaneState): boolean => {
    const { status, dueAt, finishedAt, attempts, failures, deferrals, deferredMs } = delivery
    const counts = [attempts, failures, deferrals, deferredMs]
    const { changes } = update.run(
      ...[status, laneState, dueAt, finishedAt, ...counts, key.event, key.subscription],
    )
    if (Number(changes) === 0) return false
    if (status === 'pending' && dueAt !== null) dueTimes.add({ subscription: key.subscription, dueAt })
    // A slot of the subscription is free.
    dueTimes.wake(key.subscription)
    return true
  }

  return (settlement) => {
    const { deliveryId, claimId, now, result } = settlement
    const key = parseDeliveryId(deliveryId)
    const lease = leases.find(key)
    if (lease?.claimId !== claimId) return { outcome: 'stale' }
    const current = findSubscription(key.subscription)
    if (current === undefined || current.record.revision < 0) return { outcome: 'stale' }
    const before = lease.delivery
    const { disabledReason, failingSince: failingBefore } = current.record

    const failingSince = decideFailingSince(result, failingBefore)
    const disabled = disabledReason === null ? findReasonToDisable(settlement, failingSince) : null
    const isDisabled = disabledReason !== null || disabled !== null
    const { laneState, ...state } = decideState(settlement, lease, isDisabled)
    const succeeded = result.kind === 'delivered'
    const deferred = result.kind === 'deferred'
    const number = before.attempts + Number(result.kind !== 'released')
    const delivery = {
      ...before,
      ...state,
      attempts: number,
      failures: before.failures + Number(!succeeded && !deferred && result.kind !== 'released'),
      deferrals: before.deferrals + Number(deferred),
      deferredMs: before.deferredMs + (deferred ? result.delayMs : 0),
    }

    if (!write(key, delivery, laneState)) {
      leases.remove(key)
      return { outcome: 'stale' }
    }
    if (result.kind !== 'released') {
      const attempt = attempts.toRow({ ...result.attempt, number, succeeded, deferred })
      insertAttempt.run(key.event, key.subscription, ...Object.values(attempt))
    }
    const pace = decidePace(settlement, current.pace)
    if (failingSince !== failingBefore || pace !== current.pace) {
      updateHealth.run(failingSince, pace, key.subscription)
    }
    if (disabled !== null) disable.run(disabled, now, key.subscription)
    if (!isDisabled && laneState !== 'holding') {
      const advance = lease.laneState === 'holding' ? lanes.advanceFree : lanes.advance
      advance({ subscription: key.subscription, subject: before.subject }, now)
    }
    // After everything that may fail, so that it can be repeated.
    leases.remove(key)
    if (pace !== current.pace) onPace(key.subscription)
    if (result.kind === 'released') onDue()
    return { outcome: 'settled', delivery, disabled }
  }
}
