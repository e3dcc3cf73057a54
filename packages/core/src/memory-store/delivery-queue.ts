import type { DisabledReason } from '../records.ts'
import { createTurns, type Turns } from '../storage/turns.ts'
import type {
  ClaimedDelivery,
  ClaimRequest,
  Pace,
  Settlement,
  SettlementOutcome,
  SettlementResult,
} from '../store.ts'
import { createLanes } from './lanes.ts'
import {
  createDueQueue,
  type DeliveryRow,
  getDeliveryId,
  type SubscriptionRow,
  toDeliveryRecord,
} from './tables.ts'

/** The unfinished deliveries. */
export type DeliveryQueue = {
  /** Adds a new delivery to its lane. */
  enqueue(row: DeliveryRow, now: number): void
  /** Brings the next attempt of a pending delivery forward. */
  retry(row: DeliveryRow, now: number): void
  /** Adds a finished or pending delivery to its lane again. Returns false if it is waiting or claimed. */
  resend(row: DeliveryRow, now: number): boolean
  claim(request: ClaimRequest): ClaimedDelivery[]
  settle(settlement: Settlement): SettlementOutcome
  /** Finishes all unfinished deliveries of a subscription as skipped. */
  skipAll(owner: SubscriptionRow, now: number): void
  setPace(owner: SubscriptionRow, pace: Pace): void
  /** Removes a subscription. */
  drop(owner: SubscriptionRow): void
  /** Ends the claim of a removed delivery, which can no longer be settled. */
  forget(row: DeliveryRow): void
  /** Removes a delivery from its lane. */
  remove(row: DeliveryRow, now: number): void
  nextDueAt(): number | undefined
}

const recordAttempt = (row: DeliveryRow, result: Exclude<SettlementResult, { kind: 'released' }>): void => {
  const succeeded = result.kind === 'delivered'
  const deferred = result.kind === 'deferred'
  const number = row.attempts.length + 1
  row.attempts.push({ ...result.attempt, deliveryId: getDeliveryId(row), number, succeeded, deferred })
  if (deferred) {
    row.deferrals++
    row.deferredMs += result.delayMs
  } else if (!succeeded) {
    row.failures++
  }
}

/** Updates `failingSince` of a subscription. Returns the reason for which it must be disabled, if there is one. */
const updateFailingSince = (
  owner: SubscriptionRow,
  { result, now, failingLimitMs }: Settlement,
): DisabledReason | null => {
  if (result.kind === 'released' || result.kind === 'deferred') return null
  const { failingSince, disabledReason } = owner.record
  const since = result.kind === 'delivered' ? null : (failingSince ?? result.attempt.startedAt)
  owner.record = { ...owner.record, failingSince: since }
  if (disabledReason !== null) return null
  if (result.kind === 'gone') return 'gone'
  return since !== null && now - since >= failingLimitMs ? 'failing' : null
}

const getPace = ({ result, isSlow = false }: Settlement, current: Pace): Pace => {
  if (result.kind === 'released') return current
  if (result.kind === 'deferred') return isSlow ? 'slow' : current
  if (result.kind !== 'delivered') return 'failing'
  return isSlow ? 'slow' : 'quick'
}

const none: ReadonlySet<string> = new Set()

/** @param onDue - called when a delivery becomes due. */
export const createDeliveryQueue = (onDue: () => void): DeliveryQueue => {
  /** Subscriptions with pending or claimed deliveries. */
  const busy = new Set<SubscriptionRow>()
  /** Busy subscriptions that may have a due delivery, by their pace. */
  const ready = {
    quick: createTurns<SubscriptionRow>(),
    suspect: createTurns<SubscriptionRow>(),
    failing: createTurns<SubscriptionRow>(),
  }
  /** The other busy subscriptions. */
  const upcoming = createDueQueue<SubscriptionRow>()
  /** Upcoming subscriptions with a due delivery that have the maximum number of claims. */
  const saturated = new Set<SubscriptionRow>()
  let limits = ''
  /** Deliveries under a claim that can still be settled. */
  const claimed = new Map<string, DeliveryRow>()

  const getTurns = ({ pace }: SubscriptionRow): Turns<SubscriptionRow> =>
    pace === 'quick' || pace === 'failing' ? ready[pace] : ready.suspect
  const getNextTime = ({ pending, leased }: SubscriptionRow): number =>
    Math.min(pending.peek()?.at ?? Infinity, leased.peek()?.at ?? Infinity)

  const drop = (owner: SubscriptionRow): void => {
    busy.delete(owner)
    saturated.delete(owner)
    upcoming.remove(owner)
    getTurns(owner).delete(owner)
  }
  const reposition = (owner: SubscriptionRow): void => {
    const next = getNextTime(owner)
    if (next === Infinity) {
      drop(owner)
    } else {
      saturated.delete(owner)
      busy.add(owner)
      owner.at = next
      if (!getTurns(owner).has(owner)) upcoming.put(owner)
    }
  }
  const setPace = (owner: SubscriptionRow, pace: Pace): void => {
    if (owner.pace === pace) return
    getTurns(owner).delete(owner)
    owner.pace = pace
    reposition(owner)
  }
  const lanes = createLanes({ onChange: reposition, onDue })

  const skipAll = (owner: SubscriptionRow, now: number): void => {
    for (const { unfinished } of [...owner.lanes.values()]) {
      for (const row of [...unfinished]) lanes.finish(row, 'skipped', now)
    }
  }

  /** Removes the deliveries whose leases have expired from the leased ones. Their old claims can still be settled. */
  const takeExpired = (owner: SubscriptionRow, now: number): DeliveryRow[] => {
    const expired: DeliveryRow[] = []
    for (;;) {
      const row = owner.leased.peek()
      if (row === undefined || row.at > now) return expired
      owner.leased.remove(row)
      expired.push(row)
    }
  }

  const lease = (row: DeliveryRow, { claimId, now, leaseMs }: ClaimRequest): ClaimedDelivery => {
    const { owner, event } = row
    if (row.status === 'pending') owner.pending.remove(row)
    row.status = 'claimed'
    row.claimId = claimId
    claimed.set(getDeliveryId(row), row)
    row.at = now + leaseMs
    owner.leased.put(row)
    reposition(owner)
    return { delivery: toDeliveryRecord(row), event, subscription: owner.record, pace: owner.pace }
  }

  /** Schedules the next check of a subscription from which no more can be claimed now. */
  const postpone = (owner: SubscriptionRow, now: number): void => {
    const leaseEnd = owner.leased.peek()?.at
    reposition(owner)
    if (leaseEnd === undefined || leaseEnd <= now || owner.at > now) return
    saturated.add(owner)
    owner.at = leaseEnd
    upcoming.put(owner)
  }

  /** Moves upcoming subscriptions that are due to the ready ones. */
  const addReady = (now: number): void => {
    for (let owner = upcoming.peek(); owner !== undefined && owner.at <= now; owner = upcoming.peek()) {
      upcoming.remove(owner)
      getTurns(owner).add(owner.record.organizationId, owner)
    }
  }

  const apply = (row: DeliveryRow, result: SettlementResult, now: number): void => {
    if (row.status === 'skipped') {
      if (result.kind === 'delivered') lanes.finish(row, 'delivered', now)
      return
    }
    const { lane } = row
    lanes.unqueue(row)
    switch (result.kind) {
      case 'released':
        lanes.makeDue(row, now)
        onDue()
        break
      case 'deferred':
      case 'retry':
        lanes.makeDue(row, now + result.delayMs)
        if (result.kind === 'retry' && result.releasesLane) lanes.unblock(row)
        break
      default:
        lanes.finish(row, result.kind === 'gone' ? 'skipped' : result.kind, now)
    }
    if (lane !== undefined) lanes.promote(lane, now)
  }

  return {
    skipAll,
    setPace,
    drop,
    forget: (row) => {
      claimed.delete(getDeliveryId(row))
    },
    remove: (row, now) => {
      claimed.delete(getDeliveryId(row))
      const { lane } = row
      if (lane === undefined) return
      lanes.finish(row, 'skipped', now)
      lanes.promote(lane, now)
    },
    nextDueAt: () => {
      const next = Math.min(...Array.from(busy, getNextTime))
      return next === Infinity ? undefined : next
    },
    enqueue: lanes.enter,
    retry: (row, now) => {
      lanes.unqueue(row)
      lanes.makeDue(row, now)
      onDue()
    },
    resend: (row, now) => {
      if (row.status === 'waiting' || row.status === 'claimed') return false
      if (row.status === 'pending') {
        lanes.unqueue(row)
        lanes.unblock(row)
      }
      row.claimId = undefined
      claimed.delete(getDeliveryId(row))
      row.finishedAt = null
      lanes.enter(row, now)
      return true
    },
    claim: (request) => {
      const { now, limit, perSubscription, suspects } = request
      const drained: SubscriptionRow[] = []
      const expired = new Map<SubscriptionRow, DeliveryRow[]>()
      const claimFrom = (turns: Turns<SubscriptionRow>, count: number, except = none): ClaimedDelivery[] => {
        const claims: ClaimedDelivery[] = []
        while (claims.length < count) {
          const owner = turns.next(except)
          if (owner === undefined) break
          const own = expired.get(owner) ?? takeExpired(owner, now)
          expired.set(owner, own)
          const row = own[0] ?? owner.pending.peek()
          const isAlone = suspects !== undefined && (owner.pace === 'new' || owner.pace === 'failing')
          const maximum = isAlone ? 1 : perSubscription
          if (row !== undefined && row.at <= now && owner.leased.size < maximum) {
            own.shift()
            claims.push(lease(row, request))
          } else {
            turns.delete(owner)
            drained.push(owner)
          }
        }
        return claims
      }
      // With other limits than those of the last claim, more may be claimed.
      const current = `${perSubscription} ${suspects !== undefined}`
      if (current !== limits) for (const owner of saturated) reposition(owner)
      limits = current
      addReady(now)
      const quick = claimFrom(ready.quick, limit)
      const except = new Set(suspects?.except)
      const others = claimFrom(ready.suspect, suspects?.limit ?? limit - quick.length, except)
      const failing = claimFrom(
        ready.failing,
        suspects?.failing ?? limit - quick.length - others.length,
        except,
      )
      for (const [owner, rows] of expired) for (const row of rows) owner.leased.put(row)
      for (const owner of drained) postpone(owner, now)
      return [...quick, ...others, ...failing]
    },
    settle: (settlement) => {
      const { deliveryId: id, claimId, now, result } = settlement
      const row = claimed.get(id)
      if (row === undefined || row.claimId !== claimId) return { outcome: 'stale' }
      row.claimId = undefined
      claimed.delete(id)
      if (result.kind !== 'released') recordAttempt(row, result)
      apply(row, result, now)
      const { owner } = row
      const disabled = updateFailingSince(owner, settlement)
      setPace(owner, getPace(settlement, owner.pace))
      if (disabled !== null) {
        const { record } = owner
        owner.record = { ...record, revision: record.revision + 1, disabledReason: disabled, updatedAt: now }
        skipAll(owner, now)
      }
      return { outcome: 'settled', delivery: toDeliveryRecord(row), disabled }
    },
  }
}
