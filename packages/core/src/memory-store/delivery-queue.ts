import type { AttemptResult, DisabledReason } from '../records.ts'
import { createTurns, type Turns } from '../storage/turns.ts'
import type {
  ClaimedDelivery,
  ClaimRequest,
  Pace,
  Settlement,
  SettlementOutcome,
  SettlementResult,
} from '../store.ts'
import { createDueQueue } from './due-queue.ts'
import { createLanes } from './lanes.ts'
import { type DeliveryRow, deliveryId, type SubscriptionRow, toDeliveryRecord } from './tables.ts'

/** The deliveries on their way. */
export type DeliveryQueue = {
  /** Puts a new delivery into its lane. */
  enqueue(row: DeliveryRow, now: number): void
  /** Puts what is settled or pending back into its lane; false when it is waiting or claimed. */
  enqueueAgain(row: DeliveryRow, now: number): boolean
  claim(request: ClaimRequest): ClaimedDelivery[]
  settle(settlement: Settlement): SettlementOutcome
  /** Settles everything unsettled of a subscription as skipped. */
  skipAll(owner: SubscriptionRow, now: number): void
  setPace(owner: SubscriptionRow, pace: Pace): void
  /** Forgets a subscription. */
  drop(owner: SubscriptionRow): void
  /** Forgets a delivery that is gone: a claim of it can settle nothing any more. */
  forget(row: DeliveryRow): void
  nextDueAt(): number | undefined
}

const recordAttempt = (row: DeliveryRow, attempt: AttemptResult, succeeded: boolean): void => {
  row.attempts.push({ ...attempt, deliveryId: deliveryId(row), number: row.attempts.length + 1, succeeded })
  if (!succeeded) row.failures++
}

/** Keeps since when a subscription has been failing, and says whether it must be disabled for what happened. */
const noteResult = (
  owner: SubscriptionRow,
  { result, now, failingLimitMs }: Settlement,
): DisabledReason | null => {
  if (result.kind === 'released') return null
  const { failingSince, disabledReason } = owner.record
  const since = result.kind === 'delivered' ? null : (failingSince ?? result.attempt.startedAt)
  owner.record = { ...owner.record, failingSince: since }
  if (disabledReason !== null) return null
  if (result.kind === 'gone') return 'gone'
  return since !== null && now - since >= failingLimitMs ? 'failing' : null
}

const paceAfter = ({ result, isSlow = false }: Settlement): Pace => {
  if (result.kind !== 'delivered') return 'failing'
  return isSlow ? 'slow' : 'quick'
}

const none: ReadonlySet<string> = new Set()

/** Makes the queue; `onDue` is called when a delivery became due. */
export const createDeliveryQueue = (onDue: () => void): DeliveryQueue => {
  /** Subscriptions with something pending or claimed. */
  const busy = new Set<SubscriptionRow>()
  /** Those of them that have something due, as far as a claim knows, and those that have not. */
  const ready = {
    quick: createTurns<SubscriptionRow>(),
    suspect: createTurns<SubscriptionRow>(),
    failing: createTurns<SubscriptionRow>(),
  }
  const upcoming = createDueQueue<SubscriptionRow>()
  /** Those of the latter that have something due, and wait until a lease ends or is settled. */
  const withoutSlots = new Set<SubscriptionRow>()
  let limits = ''
  /** What is out under a claim that may still report. */
  const claimed = new Map<string, DeliveryRow>()

  const turnsOf = ({ pace }: SubscriptionRow): Turns<SubscriptionRow> =>
    pace === 'quick' || pace === 'failing' ? ready[pace] : ready.suspect
  const nextOf = ({ pending, leased }: SubscriptionRow): number =>
    Math.min(pending.peek()?.at ?? Infinity, leased.peek()?.at ?? Infinity)

  const drop = (owner: SubscriptionRow): void => {
    busy.delete(owner)
    withoutSlots.delete(owner)
    upcoming.remove(owner)
    turnsOf(owner).delete(owner)
  }
  const reposition = (owner: SubscriptionRow): void => {
    const next = nextOf(owner)
    if (next === Infinity) {
      drop(owner)
    } else {
      withoutSlots.delete(owner)
      busy.add(owner)
      owner.at = next
      if (!turnsOf(owner).has(owner)) upcoming.put(owner)
    }
  }
  const setPace = (owner: SubscriptionRow, pace: Pace): void => {
    if (owner.pace === pace) return
    turnsOf(owner).delete(owner)
    owner.pace = pace
    reposition(owner)
  }
  const lanes = createLanes({ onChange: reposition, onDue })

  const skipAll = (owner: SubscriptionRow, now: number): void => {
    for (const { unsettled } of [...owner.lanes.values()]) {
      for (const row of [...unsettled]) lanes.finish(row, 'skipped', now)
    }
  }

  /** Makes what has a lease that is over pending. */
  const expireLeases = (owner: SubscriptionRow, now: number): DeliveryRow[] => {
    const expired: DeliveryRow[] = []
    for (;;) {
      const row = owner.leased.peek()
      if (row === undefined || row.at > now) return expired
      owner.leased.remove(row)
      lanes.makeDue(row, row.at)
      expired.push(row)
    }
  }

  /** What was not claimed after all stays under its old claim, which may still report. */
  const restoreLease = (row: DeliveryRow): void => {
    if (row.status !== 'pending') return
    row.owner.pending.remove(row)
    row.status = 'claimed'
    row.owner.leased.put(row)
    reposition(row.owner)
  }

  const lease = (row: DeliveryRow, { claimId, now, leaseMs }: ClaimRequest): ClaimedDelivery => {
    const { owner, event } = row
    owner.pending.remove(row)
    row.status = 'claimed'
    row.claimId = claimId
    claimed.set(deliveryId(row), row)
    row.at = now + leaseMs
    owner.leased.put(row)
    reposition(owner)
    return { delivery: toDeliveryRecord(row), event, subscription: owner.record, pace: owner.pace }
  }

  /** Says when to look at a subscription again of which no more can be claimed now. */
  const putOff = (owner: SubscriptionRow, now: number): void => {
    const leaseEnd = owner.leased.peek()?.at
    reposition(owner)
    if (leaseEnd === undefined || leaseEnd <= now || owner.at > now) return
    withoutSlots.add(owner)
    owner.at = leaseEnd
    upcoming.put(owner)
  }

  /** Adds the subscriptions that have something due by now. */
  const addReady = (now: number): void => {
    for (let owner = upcoming.peek(); owner !== undefined && owner.at <= now; owner = upcoming.peek()) {
      upcoming.remove(owner)
      turnsOf(owner).add(owner.record.organizationId, owner)
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
      case 'retry':
        lanes.makeDue(row, now + result.afterMs)
        if (result.releasesLane) lanes.letPass(row)
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
      claimed.delete(deliveryId(row))
    },
    nextDueAt: () => {
      const next = Math.min(...Array.from(busy, nextOf))
      return next === Infinity ? undefined : next
    },
    enqueue: lanes.enter,
    enqueueAgain: (row, now) => {
      if (row.status === 'waiting' || row.status === 'claimed') return false
      if (row.status === 'pending') {
        lanes.unqueue(row)
        lanes.letPass(row)
      }
      row.claimId = undefined
      claimed.delete(deliveryId(row))
      row.finishedAt = null
      lanes.enter(row, now)
      return true
    },
    claim: (request) => {
      const { now, limit, perSubscription, suspects } = request
      const passed: SubscriptionRow[] = []
      const expired: DeliveryRow[] = []
      const take = (turns: Turns<SubscriptionRow>, most: number, except = none): ClaimedDelivery[] => {
        const taken: ClaimedDelivery[] = []
        while (taken.length < most) {
          const owner = turns.next(except)
          if (owner === undefined) break
          expired.push(...expireLeases(owner, now))
          const row = owner.pending.peek()
          const isAlone = suspects !== undefined && (owner.pace === 'new' || owner.pace === 'failing')
          const slots = isAlone ? 1 : perSubscription
          if (row !== undefined && row.at <= now && owner.leased.size < slots) {
            taken.push(lease(row, request))
          } else {
            turns.delete(owner)
            passed.push(owner)
          }
        }
        return taken
      }
      // Whoever asks for more slots than before gets them.
      const wanted = `${perSubscription} ${suspects !== undefined}`
      if (wanted !== limits) for (const owner of withoutSlots) reposition(owner)
      limits = wanted
      addReady(now)
      const quick = take(ready.quick, limit)
      const except = new Set(suspects?.except)
      const others = take(ready.suspect, suspects?.limit ?? limit - quick.length, except)
      const failing = take(ready.failing, suspects?.failing ?? limit - quick.length - others.length, except)
      for (const row of expired) restoreLease(row)
      for (const owner of passed) putOff(owner, now)
      return [...quick, ...others, ...failing]
    },
    settle: (settlement) => {
      const { deliveryId: id, claimId, now, result } = settlement
      const row = claimed.get(id)
      if (row === undefined || row.claimId !== claimId) return { outcome: 'stale' }
      row.claimId = undefined
      claimed.delete(id)
      if (result.kind !== 'released') recordAttempt(row, result.attempt, result.kind === 'delivered')
      apply(row, result, now)
      const { owner } = row
      const disabled = noteResult(owner, settlement)
      if (result.kind !== 'released') setPace(owner, paceAfter(settlement))
      if (disabled !== null) {
        const { record } = owner
        owner.record = { ...record, revision: record.revision + 1, disabledReason: disabled, updatedAt: now }
        skipAll(owner, now)
      }
      return { outcome: 'settled', delivery: toDeliveryRecord(row), disabled }
    },
  }
}
