import type { HeadsPage, PendingDelivery, RetriesPage, Store, StoredQueue } from '@wabakit/core'
import type { Query } from '../query.ts'
import { type AddedRow, isHead, isOpen, pendingColumns, queueColumns } from './lanes.ts'

/**
 * The transactions that were visible to a read, as returned by `pg_current_snapshot()`. Rows that only a
 * later read sees were written by a transaction that was under way or started later. Therefore, no
 * transaction is missed, even if it commits late, and none is read twice.
 */
export type Snapshot = string

/** Parses a snapshot: the end of its known transactions, and the earlier ones that were under way. */
const parseSnapshot = (snapshot: Snapshot): { readonly end: string; readonly underWay: string[] } => {
  const [, end = '0', list = ''] = snapshot.split(':')
  return { end, underWay: list === '' ? [] : list.split(',') }
}

/**
 * Formats two alternative conditions on a column that contains a change's transaction, for `$1` and `$2` of
 * {@link toValues}. The upper bound excludes ids of future transactions, which rows can contain after a dump is
 * restored.
 */
const sinceConditions = (column: string): readonly string[] => [
  `${column} >= $1::xid8 AND ${column} < pg_snapshot_xmax(pg_current_snapshot())`,
  `${column} = ANY ($2::xid8[])`,
]

const toValues = (since: Snapshot): unknown[] => {
  const { end, underWay } = parseSnapshot(since)
  return [end, underWay]
}

export type QueueRow = StoredQueue & { readonly from: number }

const snapshot = 'pg_current_snapshot()::text AS snapshot'

const listAll = `
  SELECT found.*, ${snapshot} FROM (SELECT 1) AS always LEFT JOIN (
    SELECT ${queueColumns}, 0 AS "from" FROM wabakit.subscriptions s
    WHERE s.position > $2 AND wabakit.shard_of(s.position) = ANY ($1) AND ${isOpen}
      AND EXISTS (SELECT FROM wabakit.unfinished_deliveries p WHERE p.subscription = s.position OFFSET 0)
    ORDER BY s.position LIMIT $3
  ) AS found ON true`

/** Lists queues with unfinished deliveries, after a given queue. */
export const listQueues = async (
  read: Query,
  { shards, limit }: Parameters<Store['readQueues']>[0],
  after: string,
): Promise<{ readonly queues: readonly QueueRow[]; readonly snapshot: Snapshot }> => {
  const rows = await read<QueueRow & { snapshot: Snapshot }>(listAll, [shards, after, limit])
  return {
    queues: rows.flatMap(({ snapshot: _, ...row }) => (row.queue === null ? [] : row)),
    snapshot: rows[0]?.snapshot ?? '',
  }
}

const [addedLater, addedUnderWay] = sinceConditions('p.xact')
const [changedLater, changedUnderWay] = sinceConditions('c.changed')

const listChanged = `
  SELECT found.*, ${snapshot} FROM (SELECT 1) AS always LEFT JOIN (
    SELECT ${queueColumns}, touched."from" FROM (
      SELECT each.subscription, min(each."from")::double precision AS "from", bool_or(each."from" > 0) AS "isAdded" FROM (
        SELECT p.subscription, p.event AS "from" FROM wabakit.unfinished_deliveries p WHERE ${addedLater}
        UNION ALL SELECT p.subscription, p.event FROM wabakit.unfinished_deliveries p WHERE ${addedUnderWay}
        UNION ALL SELECT c.position, 0 FROM wabakit.subscriptions c WHERE ${changedLater}
        UNION ALL SELECT c.position, 0 FROM wabakit.subscriptions c WHERE ${changedUnderWay}
      ) AS each WHERE wabakit.shard_of(each.subscription) = ANY ($3) GROUP BY 1
    ) AS touched
    CROSS JOIN LATERAL (SELECT * FROM wabakit.subscriptions s WHERE s.position = touched.subscription OFFSET 0) AS s
    -- While a transaction holds a snapshot, finding a first row also scans all deleted rows before it.
    -- Therefore, only queues without an added delivery are checked.
    WHERE touched."isAdded" OR EXISTS (SELECT FROM wabakit.unfinished_deliveries p WHERE p.subscription = touched.subscription OFFSET 0)
  ) AS found ON true`

/** Lists queues changed by transactions that were not visible to a read. */
export const listChangedQueues = async (
  read: Query,
  shards: readonly number[],
  since: Snapshot,
): Promise<{ readonly queues: readonly QueueRow[]; readonly snapshot: Snapshot }> => {
  const rows = await read<QueueRow & { snapshot: Snapshot }>(listChanged, [...toValues(since), shards])
  return {
    queues: rows.flatMap(({ snapshot: _, ...row }) => (row.queue === null ? [] : row)),
    snapshot: rows[0]?.snapshot ?? '',
  }
}

const listCommittedChanges = `
  SELECT found.*, ${snapshot} FROM (SELECT 1) AS always LEFT JOIN (
    (
      SELECT ${queueColumns}, ${pendingColumns}, ${isHead} AS "isHead" FROM (
        SELECT * FROM wabakit.unfinished_deliveries p WHERE ${addedLater}
        UNION ALL SELECT * FROM wabakit.unfinished_deliveries p WHERE ${addedUnderWay}
      ) AS p
      CROSS JOIN LATERAL (SELECT * FROM wabakit.subscriptions s WHERE s.position = p.subscription OFFSET 0) AS s
      WHERE wabakit.shard_of(p.subscription) = ANY ($3)
      ORDER BY p.event LIMIT $4
    )
    UNION ALL
    SELECT ${queueColumns}, NULL, NULL, NULL, NULL, NULL FROM (
      SELECT * FROM wabakit.subscriptions c WHERE ${changedLater}
      UNION ALL SELECT * FROM wabakit.subscriptions c WHERE ${changedUnderWay}
    ) AS s
    WHERE wabakit.shard_of(s.position) = ANY ($3)
  ) AS found ON true`

/** The changes of transactions that were not visible to a read. */
export type CommittedChanges = {
  readonly added: readonly AddedRow[]
  /** Queues that users changed. */
  readonly changed: readonly StoredQueue[]
  readonly snapshot: Snapshot
}

type ChangeRow = (AddedRow | (StoredQueue & { readonly id: null })) & { readonly snapshot: Snapshot }

/** Reads at most `limit` deliveries added since a read, and the changed queues. */
export const readCommittedChanges = async (
  read: Query,
  {
    shards,
    since,
    limit,
  }: { readonly shards: readonly number[]; readonly since: Snapshot; readonly limit: number },
): Promise<CommittedChanges> => {
  const rows = await read<ChangeRow>(listCommittedChanges, [...toValues(since), shards, limit])
  const changes = rows.filter(({ queue }) => queue !== null)
  return {
    added: changes.flatMap((row) => (row.id === null ? [] : row)),
    changed: changes.flatMap((row) => (row.id === null ? row : [])),
    snapshot: rows[0]?.snapshot ?? since,
  }
}

const examineHeads = `
  WITH examined AS MATERIALIZED (
    SELECT p.* FROM wabakit.unfinished_deliveries p WHERE p.subscription = $1 AND p.event > $2 AND p.state = 'fresh' AND EXISTS (
      SELECT FROM wabakit.subscriptions s WHERE s.position = $1 AND ${isOpen} OFFSET 0
    ) ORDER BY p.event LIMIT $3
  )
  SELECT ${pendingColumns}, ${isHead} AS "isHead" FROM examined p ORDER BY p.event`

export const readHeads = async (
  read: Query,
  { queue, after, limit }: { readonly queue: string; readonly after: number; readonly limit: number },
): Promise<HeadsPage> => {
  const rows = await read<PendingDelivery & { isHead: boolean }>(examineHeads, [queue, after, limit])
  return {
    heads: rows.flatMap(({ isHead, dueAt, ...row }) => (isHead ? { ...row, dueAt } : [])),
    after: rows.at(-1)?.position ?? after,
    isEnd: rows.length < limit,
  }
}

const retries = `
  SELECT ${pendingColumns} FROM wabakit.unfinished_deliveries p WHERE p.retries_of = $1 AND EXISTS (
    SELECT FROM wabakit.subscriptions s WHERE s.position = $1 AND ${isOpen} OFFSET 0
  ) ORDER BY p.due_at, p.event LIMIT $2`

export const readRetries = async (
  read: Query,
  { queue, limit }: { readonly queue: string; readonly limit: number },
): Promise<RetriesPage> => {
  const rows = await read<PendingDelivery>(retries, [queue, limit + 1])
  return { retries: rows.slice(0, limit), isEnd: rows.length <= limit }
}

/**
 * The earliest due time of each open subscription; null if it has no pending delivery. Reads only the first 100
 * unattempted deliveries of each. Heads among later ones are usually due later, but not if the first ones were sent again,
 * or all wait in blocked lanes.
 */
export const firstDue = /* sql */ `
  SELECT s.position, least(
    (SELECT p.due_at FROM wabakit.unfinished_deliveries p WHERE p.retries_of = s.position ORDER BY p.due_at, p.event LIMIT 1),
    (SELECT min(p.due_at) FROM (
      SELECT * FROM wabakit.unfinished_deliveries p WHERE p.subscription = s.position AND p.state = 'fresh' ORDER BY p.event LIMIT 100
    ) AS p WHERE ${isHead})
  ) AS due_at
  FROM wabakit.subscriptions s WHERE s.position > 0 AND ${isOpen}`

export const readNextDueAt = async (read: Query): Promise<number | undefined> => {
  const [row] = await read<{ next: number | null }>(
    `SELECT min(due_at)::double precision AS next FROM (${firstDue}) AS queues`,
  )
  return row?.next ?? undefined
}
