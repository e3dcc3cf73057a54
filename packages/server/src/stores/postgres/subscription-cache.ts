import type { SubscriptionRecord } from '@wabakit/core'
import type { Query } from './query.ts'
import { mapTable, type SelectedRow } from './records.ts'

/** A subscription's current state: its revision and the fields that change without a new revision. */
type Current = {
  readonly queue: string
  readonly revision: number
  readonly failingSince: number | null
  readonly isReported: boolean
}

const maxSubscriptions = 10_000

const { toRecord } = mapTable('subscriptions')

/**
 * Caches subscriptions by revision. The record of a revision never changes, except for `failingSince` and
 * `isReported`.
 */
export const createSubscriptionCache = (read: Query) => {
  const known = new Map<string, SubscriptionRecord>()

  const readMissing = async (queues: ReadonlySet<string>): Promise<void> => {
    if (queues.size === 0) return
    if (known.size + queues.size > maxSubscriptions) known.clear()
    const rows = await read<SelectedRow>(
      'SELECT row_to_json(s) AS row FROM wabakit.subscriptions s WHERE s.position = ANY ($1::bigint[]) AND s.revision > 0',
      [[...queues]],
    )
    for (const queue of queues) known.delete(queue)
    for (const { row } of rows) known.set(String(row.position), toRecord(row))
  }

  return {
    /**
     * Returns subscriptions by queue. They are at least as new as `current`. A subscription that was removed
     * in the meantime may be missing.
     */
    find: async (current: readonly Current[]): Promise<ReadonlyMap<string, SubscriptionRecord>> => {
      const isKnown = ({ queue, revision }: Current): boolean => known.get(queue)?.revision === revision
      await readMissing(new Set(current.filter((each) => !isKnown(each)).map(({ queue }) => queue)))
      return new Map(
        current.flatMap(({ queue, failingSince, isReported }) => {
          const record = known.get(queue)
          return record === undefined ? [] : [[queue, { ...record, failingSince, isReported }] as const]
        }),
      )
    },
  }
}
