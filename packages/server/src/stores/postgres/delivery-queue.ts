import {
  type AttemptKey,
  type DeliveryQueue,
  type DeliveryRecord,
  type EventRecord,
  type LoadedDelivery,
  type OwnedShard,
  type PendingDelivery,
  type Settlement,
  type SettlementOutcome,
  StorageUnavailableError,
  type WorkersView,
} from '@wabakit/core'
import {
  type DecidedSettlement,
  decideSettlement,
  type SettledDelivery,
  toSettledRecord,
} from '@wabakit/core/storage'
import { parseDeliveryId } from '../delivery-key.ts'
import {
  listChangedQueues,
  listQueues,
  type QueueRow,
  readHeads,
  readNextDueAt,
  readRetries,
} from './functions/delivery-queue.ts'
import {
  type AssumedQueue,
  type Difference,
  type LoadedRow,
  loadDeliveries,
  type NewQueue,
  type Settled,
  settle,
} from './functions/settlements.ts'
import type { PostgresDatabase } from './open-postgres.ts'
import { callFunction } from './query.ts'
import { createRemovals } from './removals.ts'
import { shardCount } from './schema.ts'
import { createSubscriptionCache } from './subscription-cache.ts'
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
 * Maximum number of times that a batch is decided. If a row differs from the assumed state, the batch is decided
 * again from the actual one, and the row can change again in the meantime.
 */
const maxTries = 5

const toEvent = (row: LoadedRow): EventRecord => {
  const { eventId: id, organizationId, name, subject, channel, digits, payload, waitsFor } = row
  const { traceparent, hasCustomPayload, occurredAt } = row
  return {
    id,
    organizationId,
    name,
    subject,
    channel,
    digits,
    payload,
    waitsFor,
    traceparent,
    hasCustomPayload,
    occurredAt,
  }
}

const toDelivery = (row: LoadedRow, id: string, subscriptionId: string): DeliveryRecord => ({
  id,
  organizationId: row.organizationId,
  subscriptionId,
  eventId: row.eventId,
  eventName: row.name,
  subject: row.subject,
  webhookId: row.webhookId ?? row.eventId,
  status: 'pending',
  dueAt: row.dueAt,
  attempts: row.attempts,
  failures: row.failures,
  deferrals: row.deferrals,
  deferredMs: row.deferredMs,
  createdAt: row.occurredAt,
  finishedAt: null,
})

const toPending = ({ id, position, dueAt, version }: PendingDelivery): PendingDelivery => ({
  id,
  position,
  dueAt,
  version,
})

const toChanged = ({ from, ...state }: QueueRow) => ({ state, from })

const stale: SettlementOutcome = { outcome: 'stale' }

const unknown: AssumedQueue = { failingSince: null, isReported: false, disabledReason: null }

/**
 * The state that a delivery is assumed to have before its settlement. It is right even if the delivery was
 * never attempted, because `settle` treats `fresh` as `started`.
 */
const blocking: StateBefore = { state: 'started', finishedAt: null }

const toShardValues = ({ worker, shards }: Omit<Parameters<DeliveryQueue['takeShards']>[0], 'now'>) => [
  worker,
  shards.map(({ shard }) => shard),
  shards.map(({ epoch }) => epoch),
]

/** Loads, settles and reads pending deliveries in PostgreSQL, and assigns shards to workers. */
export const createDeliveryQueue = ({
  query,
  read,
  queueChanges,
  worker,
}: Pick<PostgresDatabase, 'query' | 'read' | 'queueChanges' | 'worker'>): DeliveryQueue & {
  nextDueAt(): Promise<number | undefined>
} => {
  /** The states of subscriptions when they were last read or settled. */
  const queues = new Map<string, AssumedQueue>()
  const subscriptions = createSubscriptionCache(read)
  /**
   * Limits writes for an endpoint that keeps failing and recovering: some new failures go unrecorded.
   * Recoveries are always recorded. Otherwise a failure that ended long ago could later disable the
   * subscription.
   */
  const mayFlip = createWriteLimit({ max: 10, perMs: 10_000 })
  const removals = createRemovals(query)
  let owned: ReadonlySet<number> = new Set()
  const setOwned = (shards: Iterable<number>): void => {
    owned = new Set(shards)
    queueChanges.setShards(owned)
  }

  const load = async (keys: readonly AttemptKey[]): Promise<Array<LoadedDelivery | undefined>> => {
    const rows = await loadDeliveries(read, keys)
    const found: Array<LoadedDelivery | undefined> = keys.map(() => undefined)
    const records = await subscriptions.find(rows)
    for (const row of rows) {
      const key = keys[row.n - 1]
      const subscription = records.get(row.queue)
      if (key === undefined || subscription === undefined || subscription.disabledReason !== null) continue
      const delivery = toDelivery(row, key.id, subscription.id)
      const { failingSince, isReported } = row
      queues.set(row.queue, { failingSince, isReported, disabledReason: null })
      found[row.n - 1] = { delivery, event: toEvent(row), subscription, pace: row.pace }
    }
    return found
  }

  /**
   * Decides a batch's settlements in order. Each decision starts from the subscription's state after the earlier ones.
   *
   * @param states - the known states of deliveries, except deliveries that no longer exist.
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
   * Remembers the actual states of the queues that differed. Returns the actual states of the deliveries,
   * except deliveries whose shard is lost.
   */
  const learn = (settlements: readonly Settlement[], { lost, queues: found, deliveries }: Difference) => {
    for (const { queue, ...state } of found ?? []) queues.set(queue, state)
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
        for (const [queue, state] of after) queues.set(queue, state)
        if (settled.added !== null) queueChanges.emitAdded(settled.added)
        // Not awaited: removing the rest of a large backlog takes time, no caller needs it, and the other results of
        // the batch must not wait for it.
        if (changed.some(({ disabled }) => disabled !== null)) void removals.end(undefined)
        const outcomes = new Map(items.map((item) => [item.settlement, toOutcome(item, settled)]))
        return settlements.map((each) => outcomes.get(each) ?? stale)
      }
      states = learn(current, settled.different)
      for (const shard of settled.different.lost) epochs.delete(shard)
    }
    throw new StorageUnavailableError('Deliveries kept changing while they were settled. Try again.')
  }

  return {
    shards: shardCount,
    readQueues: async (request) => {
      const { shards, since, limit } = request
      // The cursor of a page: the snapshot of the first page and, before the last page, the last queue.
      const [known, after] = since?.split(' ') ?? []
      if (known !== undefined && after === undefined) {
        const { queues: found, snapshot } = await listChangedQueues(read, shards, known)
        return { queues: found.map(toChanged), cursor: snapshot, isMore: false }
      }
      const { queues: found, snapshot } = await listQueues(read, request, after ?? '0')
      const first = known ?? snapshot
      const isMore = found.length === limit
      return {
        queues: found.map(toChanged),
        cursor: isMore ? `${first} ${found.at(-1)?.queue}` : first,
        isMore,
      }
    },
    readHeads: (request) => readHeads(read, request),
    readRetries: (request) => readRetries(read, request),
    loadDeliveries: load,
    settleDeliveries,
    nextDueAt: () => readNextDueAt(read),
    listen: queueChanges.listen,
    renewWorker: async (renewal) => {
      const sql = 'SELECT workers, shards, renew_in_ms AS "renewInMs" FROM renew_worker($1, $2)'
      const view = await worker.renew(
        renewal.worker,
        async () => (await query<WorkersView>(sql, [renewal.worker, renewal.leaseMs]))[0],
      )
      setOwned(view.shards.flatMap(({ shard, owner }) => (owner === renewal.worker ? shard : [])))
      return view
    },
    takeShards: async (request) => {
      const values = toShardValues(request)
      const taken = (await callFunction<OwnedShard[]>(query, 'take_shards($1, $2, $3)', values)) ?? []
      setOwned([...owned, ...taken.map(({ shard }) => shard)])
      return taken
    },
    giveShards: async (request) => {
      const given = new Set(request.shards.map(({ shard }) => shard))
      setOwned([...owned].filter((shard) => !given.has(shard)))
      await query('SELECT give_shards($1, $2, $3)', toShardValues(request))
    },
    endWorker: async (id) => {
      setOwned([])
      await query('SELECT end_worker($1)', [id])
      worker.end()
    },
  }
}
