import type { DatabaseSync } from 'node:sqlite'
import type {
  AttemptResult,
  DeliveryRecord,
  DisabledReason,
  Pace,
  Settlement,
  SettlementOutcome,
  SettlementResult,
} from '@wabakit/core'
import { type DeliveryKey, parseDeliveryId } from '../stores/delivery-id.ts'
import { deliveryColumns } from './delivery-row.ts'
import type { DueTimes } from './due-times.ts'
import type { Lanes } from './lanes.ts'
import { insertInto, mapRows, mapTable } from './records.ts'

/** Records what became of a claim, see {@link Store.settleDelivery}. */
export type Settle = (settlement: Settlement) => SettlementOutcome

/** What {@link createSettle} works with. */
export type SettleContext = {
  readonly database: DatabaseSync
  readonly lanes: Lanes
  readonly dueTimes: DueTimes
  /** Called when a delivery became due. */
  readonly onDue: () => void
  /** Called when the pace of a subscription has changed. */
  readonly onPace: (subscription: number) => void
}

/** What a settlement depends on besides the delivery itself. */
type State = {
  readonly claimId: string | null
  readonly place: 'holding' | 'passable' | null
  readonly isDisabled: boolean
  readonly failingSince: number | null
  readonly pace: Pace
}

const states = mapRows<State>({
  claimId: 'text',
  place: 'text',
  isDisabled: 'flag',
  failingSince: 'integer',
  pace: 'text',
})
const deliveries = mapTable('deliveries')
const attempts = mapTable('attempts')

/** Where a settlement leaves a delivery. */
type Standing = Pick<DeliveryRecord, 'status' | 'dueAt' | 'finishedAt'> & Pick<State, 'place'>

const settled = (status: DeliveryRecord['status'], finishedAt: number): Standing => ({
  status,
  finishedAt,
  dueAt: null,
  place: null,
})

const pending = (dueAt: number, place: State['place']): Standing => ({
  status: 'pending',
  finishedAt: null,
  dueAt,
  place,
})

const standingAfter = (
  { result, now }: Settlement,
  { status, finishedAt }: DeliveryRecord,
  { place, isDisabled }: Pick<State, 'place' | 'isDisabled'>,
): Standing => {
  if (result.kind === 'delivered') return settled('delivered', now)
  if (status === 'skipped') return settled('skipped', finishedAt ?? now)
  if (result.kind === 'exhausted') return settled('exhausted', now)
  if (result.kind === 'released' && !isDisabled) return pending(now, place)
  if (result.kind === 'retry' && !isDisabled) {
    return pending(now + result.afterMs, result.releasesLane ? 'passable' : place)
  }
  return settled('skipped', now)
}

const failingSinceAfter = (result: SettlementResult, failingSince: number | null): number | null => {
  if (result.kind === 'released') return failingSince
  return result.kind === 'delivered' ? null : (failingSince ?? result.attempt.startedAt)
}

const paceAfter = ({ result, isSlow = false }: Settlement): Pace => {
  if (result.kind !== 'delivered') return 'failing'
  return isSlow ? 'slow' : 'quick'
}

const reasonToDisable = (
  { result, now, failingLimitMs }: Settlement,
  failingSince: number | null,
): DisabledReason | null => {
  if (result.kind === 'gone') return 'gone'
  const isFailing =
    result.kind !== 'released' && failingSince !== null && now - failingSince >= failingLimitMs
  return isFailing ? 'failing' : null
}

/** Makes the settlements of a database. */
export const createSettle = ({ database, lanes, dueTimes, onDue, onPace }: SettleContext): Settle => {
  const find = database.prepare(
    `select ${deliveryColumns}, d.claimId, d.place, s.disabledReason is not null as isDisabled, s.failingSince, s.pace
     from deliveries d join events e on e.seq = d.event join subscriptions s on s.seq = d.subscription
     where d.event = ? and d.subscription = ?`,
  )
  const update = database.prepare(
    `update deliveries
     set claimId = null, status = ?, place = ?, dueAt = ?, finishedAt = ?, attempts = ?, failures = ?
     where event = ? and subscription = ?`,
  )
  const insertAttempt = database.prepare(
    insertInto('attempts', ['event', 'subscription', ...attempts.columns]),
  )
  const updateHealth = database.prepare('update subscriptions set failingSince = ?, pace = ? where seq = ?')
  const disable = database.prepare(
    'update subscriptions set revision = revision + 1, disabledReason = ?, updatedAt = ? where seq = ?',
  )

  const write = (key: DeliveryKey, delivery: DeliveryRecord, place: State['place']): void => {
    const { status, dueAt, finishedAt, attempts, failures } = delivery
    update.run(status, place, dueAt, finishedAt, attempts, failures, key.event, key.subscription)
    if (status === 'pending' && dueAt !== null) dueTimes.note({ subscription: key.subscription, dueAt })
    // Its slot is free.
    dueTimes.wake(key.subscription)
  }

  const addAttempt = (
    key: DeliveryKey,
    attempt: AttemptResult,
    { number, succeeded }: { readonly number: number; readonly succeeded: boolean },
  ): void => {
    insertAttempt.run(
      key.event,
      key.subscription,
      ...Object.values(attempts.toRow({ ...attempt, number, succeeded })),
    )
  }

  return (settlement) => {
    const { deliveryId, claimId, now, result } = settlement
    const key = parseDeliveryId(deliveryId)
    const row = find.get(key.event, key.subscription)
    if (row === undefined || row.claimId !== claimId) return { outcome: 'stale' }
    const before = deliveries.toRecord(row)
    const state = states.toRecord(row)

    const failingSince = failingSinceAfter(result, state.failingSince)
    const disabled = state.isDisabled ? null : reasonToDisable(settlement, failingSince)
    const isDisabled = state.isDisabled || disabled !== null
    const { place, ...standing } = standingAfter(settlement, before, { place: state.place, isDisabled })
    const succeeded = result.kind === 'delivered'
    const attempts = before.attempts + Number(result.kind !== 'released')
    const failures = before.failures + Number(result.kind !== 'released' && !succeeded)
    const delivery = { ...before, ...standing, attempts, failures }

    write(key, delivery, place)
    if (result.kind !== 'released') addAttempt(key, result.attempt, { number: attempts, succeeded })
    const pace = result.kind === 'released' ? state.pace : paceAfter(settlement)
    if (failingSince !== state.failingSince || pace !== state.pace) {
      updateHealth.run(failingSince, pace, key.subscription)
    }
    if (disabled !== null) {
      disable.run(disabled, now, key.subscription)
      lanes.skipAll(key.subscription, now)
    } else {
      lanes.advance({ subscription: key.subscription, subject: before.subject }, now)
    }
    if (pace !== state.pace) onPace(key.subscription)
    if (result.kind === 'released') onDue()
    return { outcome: 'settled', delivery, disabled }
  }
}
