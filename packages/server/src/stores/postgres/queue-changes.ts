import type { QueueChange, StoredQueue } from '@wabakit/core'
import { createChangeChannel } from '@wabakit/core/storage'
import { readCommittedChanges, type Snapshot } from './functions/delivery-queue.ts'
import type { AddedRow } from './functions/lanes.ts'
import { type Notifications, pause } from './notifications.ts'
import type { Query } from './query.ts'

export type QueueChanges = ReturnType<typeof createQueueChanges>

export type QueueChangesOptions = {
  readonly read: Query
  readonly notifications: Pick<Notifications, 'listen'>
  /** Notifies a channel, in its own transaction. */
  notify(channel: string, payload: string): Promise<void>
  /** Identifies this process. */
  readonly sender: string
}

const channel = 'wabakit_changes'

/** The pause after a notification, in milliseconds. One late notification costs less than a thousand prompt ones. */
const pauseMs = 20

/** The pause before a notification that is not urgent, in milliseconds: the worker runs in this process. */
const longPauseMs = 250

/** If this many deliveries or more were added since the last read, reports `missed` instead of each delivery. */
const maxAdded = 500

const toState = ({ queue, shard, organizationId, pace }: StoredQueue): StoredQueue => ({
  queue,
  shard,
  organizationId,
  pace,
})

/**
 * Carries changes of queues to the schedulers of all processes. Reports this process's commits immediately.
 * Other processes get a NOTIFY, and read the changes since their last read. Notifications are never part of
 * the transaction they report: PostgreSQL commits notifying transactions one at a time, so they could no
 * longer share a disk write. If a notification is lost, the scheduler's next sweep finds the change.
 */
export const createQueueChanges = ({ read, notifications, notify, sender }: QueueChangesOptions) => {
  const own = createChangeChannel()
  const closed = new AbortController()
  let shards: ReadonlySet<number> = new Set()
  let seen: Snapshot | undefined
  let isReading = false
  let mustReadAgain = false
  let listeners = 0
  let stopListening: (() => void) | undefined
  let isNotifying = false
  let isNotifyDue = false
  let hurry = new AbortController()

  const emitRow = (row: AddedRow): void => {
    const { id, position, dueAt, version } = row
    const state = toState(row)
    own.emit(
      row.isHead
        ? { kind: 'head', state, head: { id, position, dueAt, version } }
        : { kind: 'appended', state, from: position },
    )
  }

  /** Reports the changes committed since the last read. Those of this process are reported again, which is harmless. */
  const readOn = async (since: Snapshot): Promise<void> => {
    const changes = await readCommittedChanges(read, { shards: [...shards], since, limit: maxAdded })
    for (const state of changes.changed) own.emit({ kind: 'changed', state: toState(state) })
    if (changes.added.length < maxAdded) for (const row of changes.added) emitRow(row)
    else own.emit({ kind: 'missed' })
    seen = changes.snapshot
  }

  const readAll = async (): Promise<void> => {
    mustReadAgain = true
    if (isReading) return
    isReading = true
    while (mustReadAgain && !closed.signal.aborted) {
      mustReadAgain = false
      if (seen === undefined || shards.size === 0) own.emit({ kind: 'missed' })
      // If this read fails, the next one starts from the same snapshot.
      else await readOn(seen).catch(() => {})
    }
    isReading = false
  }

  const notifyOthers = async (isUrgent: boolean): Promise<void> => {
    isNotifyDue = true
    if (isUrgent) hurry.abort()
    if (isNotifying) return
    isNotifying = true
    while (isNotifyDue && !closed.signal.aborted) {
      await pause(longPauseMs, AbortSignal.any([hurry.signal, closed.signal]))
      isNotifyDue = false
      hurry = new AbortController()
      await notify(channel, sender).catch(() => {})
      await pause(pauseMs, closed.signal)
    }
    isNotifying = false
  }

  const toNotify = (states: readonly StoredQueue[]): void => {
    if (states.length > 0) void notifyOthers(states.some(({ shard }) => !shards.has(shard)))
  }

  return {
    emitAdded: (rows: readonly AddedRow[]): void => {
      for (const row of rows) emitRow(row)
      toNotify(rows)
    },
    /** Reports queues that users changed. */
    emitChanged: (queues: readonly (StoredQueue | null)[]): void => {
      const changed = queues.flatMap((state) => state ?? [])
      for (const state of changed) own.emit({ kind: 'changed', state })
      toNotify(changed)
    },
    /** Notifies the schedulers of this process that their worker is lost. */
    emitLost: (): void => own.emit({ kind: 'lost' }),
    /** Sets the shards of this process's worker, which needs no changes of other shards. */
    setShards: (owned: ReadonlySet<number>): void => {
      shards = owned
    },
    listen: (listener: (change: QueueChange) => void): (() => void) => {
      const stop = own.listen(listener)
      listeners++
      stopListening ??= notifications.listen(channel, {
        onMessage: (payload) => {
          if (payload !== sender) void readAll()
        },
        // Notifications sent before this connection was established are lost.
        onListening: () => {
          seen = undefined
          void read<{ snapshot: Snapshot }>('SELECT pg_current_snapshot()::text AS snapshot').then(
            ([row]) => {
              seen = row?.snapshot
              own.emit({ kind: 'missed' })
            },
            () => own.emit({ kind: 'missed' }),
          )
        },
      })
      return () => {
        stop()
        listeners--
        if (listeners > 0) return
        stopListening?.()
        stopListening = undefined
      }
    },
    close: (): void => {
      closed.abort()
      stopListening?.()
    },
  }
}
