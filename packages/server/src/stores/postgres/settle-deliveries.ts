import {
  type PendingDelivery,
  type Settlement,
  type SettlementOutcome,
  StorageUnavailableError,
} from '@wabakit/core'
import {
  type DecidedSettlement,
  decideSettlement,
  type SettledDelivery,
  toSettledRecord,
} from '@wabakit/core/storage'
import { parseDeliveryId } from '../delivery-key.ts'
import {
  type AssumedQueue,
  type Difference,
  type NewQueue,
  type Settled,
  settle,
} from './functions/settlements.ts'
import type { PostgresDatabase } from './open-postgres.ts'
import { createRemovals } from './removals.ts'
import { createWriteLimit } from './write-limit.ts'

/** The relevant state of a delivery before its settlement. */
type StateBefore = Pick<SettledDelivery, 'state' | 'finishedAt'>

/** A settlement in a batch and its changes. */
type Item = {
  readonly settlement: Settlement
  readonly queue: string
  readonly before: StateBefore
  readonly decided: DecidedSettlement
}

/**
 * Maximum number of times that a batch is decided. If a row differs from the assumed state, the batch is
 * decided again from the actual one, and the row can change again in the meantime.
 */
const maxTries = 5

/** Maximum number of subscriptions whose states are remembered. One that is forgotten costs a second decision, unless it is healthy. */
const maxQueues = 10_000

const toPending = ({ id, position, dueAt, version }: PendingDelivery): PendingDelivery => ({
  id,
  position,
  dueAt,
  version,
})

const stale: SettlementOutcome = { outcome: 'stale' }

const unknown: AssumedQueue = { failingSince: null, isReported: false, disabledReason: null }

/**
 * The state that a delivery is assumed to have before its settlement. It is right even if the delivery was
 * never attempted, because `settle` treats `fresh` as `started`.
 */
const blocking: StateBefore = { state: 'started', finishedAt: null }

/**
 * Settles deliveries without reading them first: decides each batch from assumed states, and decides it again
 * from the actual states if a row differs.
 */
export const createSettlements = ({
  query,
  queueChanges,
}: Pick<PostgresDatabase, 'query' | 'queueChanges'>) => {
  /** The states of subscriptions when they were last read or settled. */
  const queues = new Map<string, AssumedQueue>()
  const remember = (queue: string, state: AssumedQueue): void => {
    if (queues.size >= maxQueues) queues.clear()
    queues.set(queue, state)
  }
  /**
   * Limits writes for an endpoint that keeps failing and recovering: some new failures go unrecorded.
   * Recoveries are always recorded. Otherwise a failure that ended long ago could later disable the
   * subscription.
   */
  const mayFlip = createWriteLimit()
  const removals = createRemovals(query)
  /**
   * Decides a batch's settlements in order. Each decision starts from the subscription's state after the
   * earlier ones.
   *
   * @param states - the states of deliveries: assumed in the first try, then the actual ones. A settlement without a state is
   * stale.
   */
  const decide = (settlements: readonly Settlement[], states: ReadonlyMap<string, StateBefore>) => {
    const assumed = new Map<string, AssumedQueue>()
    const after = new Map<string, AssumedQueue>()
    const changed = new Map<string, NewQueue>()
    const items = settlements.flatMap((settlement): Item | [] => {
      const before = states.get(settlement.id)
      if (before === undefined) return []
      const queue = String(parseDeliveryId(settlement.id).subscription)
      const known = queues.get(queue) ?? unknown
      const subscription = after.get(queue) ?? known
      assumed.set(queue, known)
      const decided = decideSettlement(
        { delivery: { ...settlement.delivery, ...before }, subscription },
        settlement,
      )
      const { disabled, isReported } = decided
      const isFlip = decided.failingSince !== subscription.failingSince
      const isTold = disabled !== null || isReported !== subscription.isReported
      const failingSince =
        isFlip && (isTold || decided.failingSince === null || mayFlip(queue, settlement.now))
          ? decided.failingSince
          : subscription.failingSince
      after.set(queue, { failingSince, isReported, disabledReason: disabled ?? subscription.disabledReason })
      const earlier = changed.get(queue)
      if (failingSince !== subscription.failingSince || isTold || settlement.pace !== undefined) {
        changed.set(queue, {
          queue,
          failing_since: failingSince,
          is_reported: isReported,
          pace: settlement.pace ?? earlier?.pace ?? null,
          disabled: disabled ?? earlier?.disabled ?? null,
          now: settlement.now,
        })
      }
      return { settlement, queue, before, decided }
    })
    return { items, assumed, after, changed: [...changed.values()] }
  }

  /**
   * Remembers the actual states of all queues of the batch. Returns the actual states of the deliveries that can still be
   * settled.
   */
  const learnDifference = (
    settlements: readonly Settlement[],
    { lost, queues: found, deliveries }: Difference,
  ) => {
    for (const { queue, ...state } of found ?? []) remember(queue, state)
    const gone = new Set(settlements.filter(({ shard }) => lost.includes(shard)).map(({ id }) => id))
    return new Map(deliveries?.flatMap((each) => (gone.has(each.id) ? [] : [[each.id, each] as const])))
  }

  const toOutcome = ({ settlement, queue, decided }: Item, { next }: Settled): SettlementOutcome => {
    const { delivery, version } = settlement
    const follower = next?.find((head) => head.queue === queue && head.subject === delivery.subject)
    return {
      outcome: 'settled',
      delivery: toSettledRecord(delivery, decided.delivery),
      version: version + 1,
      disabled: decided.disabled,
      health: decided.health,
      next: follower === undefined || decided.delivery.state === 'started' ? null : toPending(follower),
    }
  }

  const settleDeliveries = async (settlements: readonly Settlement[]): Promise<SettlementOutcome[]> => {
    const epochs = new Map<number, number>()
    for (const { shard, epoch } of settlements) epochs.set(shard, Math.max(epoch, epochs.get(shard) ?? epoch))
    const current = settlements.filter(({ shard, epoch }) => epochs.get(shard) === epoch)
    let states = new Map(current.map(({ id }) => [id, blocking]))
    for (let tries = 1; tries <= maxTries; tries++) {
      const { items, assumed, after, changed } = decide(current, states)
      if (items.length === 0) return settlements.map(() => stale)
      const settled = await settle(query, {
        epochs,
        assumed,
        changed,
        rows: items.map(({ settlement, before, decided }) => ({
          key: settlement,
          before: before.state,
          after: decided.delivery,
          attempt: decided.attempt,
        })),
        events: items.flatMap(({ decided }) => decided.events),
      })
      if (settled.different === null) {
        for (const [queue, state] of after) remember(queue, state)
        if (settled.added !== null) queueChanges.emitAdded(settled.added)
        // Not awaited: removing the rest of a large backlog takes time, no caller needs it, and the other
        // results of the batch must not wait for it.
        if (changed.some(({ disabled }) => disabled !== null)) void removals.end(undefined)
        const outcomes = new Map(items.map((item) => [item.settlement, toOutcome(item, settled)]))
        return settlements.map((each) => outcomes.get(each) ?? stale)
      }
      states = learnDifference(current, settled.different)
      for (const shard of settled.different.lost) epochs.delete(shard)
    }
    throw new StorageUnavailableError('Deliveries kept changing while they were settled. Try again.')
  }

  return {
    /** Remembers the state of a subscription, for later decisions. */
    learn: remember,
    settleDeliveries,
  }
}
