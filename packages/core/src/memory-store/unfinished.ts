import { behindAfterMs } from '../storage/behind.ts'
import { restartProgress } from '../storage/progress.ts'
import type { Backlog, BacklogRequest, UnfinishedMeasure } from '../store.ts'
import { findIndex } from './paging.ts'
import { type DeliveryRow, findHead, type SubscriptionRow } from './tables.ts'

/** Inserts a row at its position, unless it is already there. */
const insert = (rows: DeliveryRow[], row: DeliveryRow): void => {
  const index = findIndex(rows, ({ position }) => position <= row.position)
  if (rows[index - 1] !== row) rows.splice(index, 0, row)
}

/** Adds a delivery to its lane as not yet attempted. */
export const enterLane = (row: DeliveryRow, dueAt: number): void => {
  const { owner, event } = row
  row.state = 'fresh'
  row.dueAt = dueAt
  row.progress = restartProgress(row.progress)
  row.finishedAt = null
  owner.retries.delete(row)
  const lane = owner.lanes.get(event.subject) ?? []
  owner.lanes.set(event.subject, lane)
  insert(lane, row)
  insert(owner.fresh, row)
}

/** Records that a delivery was attempted and is due again. */
export const setRetry = (row: DeliveryRow, state: 'started' | 'passable', dueAt: number): void => {
  row.state = state
  row.dueAt = dueAt
  row.owner.retries.add(row)
}

/** Finishes a delivery, and removes it from its lane. */
export const leaveLane = (
  row: DeliveryRow,
  state: 'delivered' | 'exhausted' | 'skipped',
  finishedAt: number,
): void => {
  const { owner, event } = row
  row.state = state
  row.finishedAt = finishedAt
  owner.retries.delete(row)
  const lane = owner.lanes.get(event.subject) ?? []
  const index = lane.indexOf(row)
  if (index >= 0) lane.splice(index, 1)
  if (lane.length === 0) owner.lanes.delete(event.subject)
}

const listUnfinished = ({ lanes }: SubscriptionRow): DeliveryRow[] => [...lanes.values()].flat()

/** Lists pending deliveries: the heads of lanes, and the deliveries that were attempted. */
export const listPending = (owner: SubscriptionRow): DeliveryRow[] => [
  ...[...owner.lanes.keys()].flatMap((subject) => findHead(owner, subject) ?? []),
  ...owner.retries,
]

/** Finds the heads of lanes among the next `limit` unattempted deliveries. */
export const readHeads = (owner: SubscriptionRow, after: number, limit: number) => {
  const heads: DeliveryRow[] = []
  let examined = 0
  let last = after
  let index = findIndex(owner.fresh, ({ position }) => position <= after)
  for (; index < owner.fresh.length && examined < limit; index++) {
    const row = owner.fresh[index]
    if (row?.state !== 'fresh') continue
    if (findHead(owner, row.event.subject) === row) heads.push(row)
    examined++
    last = row.position
  }
  const isEnd = index >= owner.fresh.length
  // Removes deliveries that are no longer fresh.
  if (index - examined > 2 * limit) owner.fresh = owner.fresh.filter(({ state }) => state === 'fresh')
  return { heads, after: last, isEnd }
}

/** Skips the unfinished deliveries of a subscription that is disabled. */
export const skipAll = (owner: SubscriptionRow, now: number): void => {
  for (const row of listUnfinished(owner)) leaveLane(row, 'skipped', now)
}

/** Measures the backlog. Counts every unfinished delivery, because an in-memory store is small. */
export const measureBacklog = (
  subscriptions: readonly SubscriptionRow[],
  { now, limit }: BacklogRequest,
): Backlog => {
  const pending = subscriptions.flatMap(listPending)
  const due = pending.filter(({ dueAt }) => dueAt <= now)
  const disabled = subscriptions.filter(({ record }) => record.disabledReason !== null)
  const failing = subscriptions.filter(({ record }) => record.failingSince !== null)
  return {
    waiting: Math.min(limit, subscriptions.flatMap(listUnfinished).length - pending.length),
    due: Math.min(limit, due.length),
    later: Math.min(limit, pending.length - due.length),
    oldestDueMs: due.reduce((oldest, { dueAt }) => Math.max(oldest, now - dueAt), 0),
    behindSubscriptions: subscriptions.filter(
      (each) =>
        each.record.failingSince === null &&
        listPending(each).some(({ dueAt }) => now - dueAt > behindAfterMs),
    ).length,
    failingSubscriptions: failing.filter(({ record }) => record.disabledReason === null).length,
    disabledSubscriptions: disabled.length,
  }
}

/** Measures the unfinished deliveries of a subscription, up to the limit. */
export const measureUnfinished = (owner: SubscriptionRow | undefined, limit: number): UnfinishedMeasure => {
  const unfinished = owner === undefined ? [] : listUnfinished(owner)
  const oldest = unfinished.reduce<DeliveryRow | undefined>(
    (first, row) => (first === undefined || row.order < first.order ? row : first),
    undefined,
  )
  const pending = owner === undefined ? [] : listPending(owner)
  const dueAt = pending.reduce<number | null>((first, row) => Math.min(first ?? row.dueAt, row.dueAt), null)
  return {
    unfinished: Math.min(limit, unfinished.length),
    oldestAt: oldest?.event.occurredAt ?? null,
    dueAt,
    isTried: owner !== undefined && owner.pace !== 'new',
  }
}
