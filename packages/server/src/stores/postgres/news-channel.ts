import { setTimeout } from 'node:timers/promises'
import type { QueueState } from '@wabakit/core'
import { createNewsChannel, type NewsChannel } from '@wabakit/core/storage'
import { readNews, type Snapshot } from './functions/delivery-queue.ts'
import type { AddedRow } from './functions/lanes.ts'
import type { Notifications } from './notifications.ts'
import type { Query } from './query.ts'

/** Carries news about queues to the schedulers of all processes. */
export type QueueNews = Pick<NewsChannel, 'listen'> & {
  tellAdded(rows: readonly AddedRow[]): void
  /** Reports queues that users changed. */
  tellChanged(queues: readonly (QueueState | null)[]): void
  /** Notifies the schedulers of this process that their worker is lost. */
  tellLost(): void
  /** Sets the shards of this process's worker, which needs no news about other shards. */
  setShards(shards: ReadonlySet<number>): void
  close(): void
}

export type QueueNewsOptions = {
  readonly read: Query
  readonly notifications: Pick<Notifications, 'listen'>
  /** Notifies a channel, in its own transaction. */
  notify(channel: string, payload: string): Promise<void>
  /** Identifies this process. */
  readonly sender: string
}

const channel = 'wabakit_news'

/** The pause after a notification, in milliseconds. One late notification costs less than a thousand prompt ones. */
const pauseMs = 20

/** The pause before a notification that is not urgent, in milliseconds: the worker runs in this process. */
const longPauseMs = 250

/** Maximum number of deliveries to report individually. */
const maxAdded = 500

const toState = ({ queue, shard, organizationId, pace }: QueueState): QueueState => ({
  queue,
  shard,
  organizationId,
  pace,
})

/**
 * Creates a channel. It reports this process's commits immediately. Other processes get a NOTIFY, and read the changes
 * that they have not seen. Notifications are never part of the transaction they report: PostgreSQL commits notifying
 * transactions one at a time, so they could no longer share a disk write. If a notification is lost, the scheduler's
 * next sweep finds the change.
 */
export const createQueueNews = ({ read, notifications, notify, sender }: QueueNewsOptions): QueueNews => {
  const own = createNewsChannel()
  const closed = new AbortController()
  let shards: ReadonlySet<number> = new Set()
  let seen: Snapshot | undefined
  let isReading = false
  let mustReadAgain = false
  let listeners = 0
  let stopListening: (() => void) | undefined
  let isNotifying = false
  let isUntold = false
  let hurry = new AbortController()

  const tellRow = (row: AddedRow): void => {
    const { id, position, dueAt, turn } = row
    const state = toState(row)
    own.tell(
      row.isHead
        ? { kind: 'head', state, head: { id, position, dueAt, turn } }
        : { kind: 'appended', state, from: position },
    )
  }

  /** Reads the changes committed by other processes since the last read. */
  const readOn = async (since: Snapshot): Promise<void> => {
    const news = await readNews(read, { shards: [...shards], since, limit: maxAdded })
    for (const state of news.changed) own.tell({ kind: 'changed', state: toState(state) })
    if (news.added.length < maxAdded) for (const row of news.added) tellRow(row)
    else own.tell({ kind: 'missed' })
    seen = news.snapshot
  }

  const readAll = async (): Promise<void> => {
    mustReadAgain = true
    if (isReading) return
    isReading = true
    while (mustReadAgain && !closed.signal.aborted) {
      mustReadAgain = false
      if (seen === undefined || shards.size === 0) own.tell({ kind: 'missed' })
      // If this read fails, the next one starts from the same snapshot.
      else await readOn(seen).catch(() => {})
    }
    isReading = false
  }

  const pause = (ms: number, signal: AbortSignal): Promise<void> =>
    setTimeout(ms, undefined, { signal, ref: false }).catch(() => {})

  const notifyOthers = async (isUrgent: boolean): Promise<void> => {
    isUntold = true
    if (isUrgent) hurry.abort()
    if (isNotifying) return
    isNotifying = true
    while (isUntold && !closed.signal.aborted) {
      await pause(longPauseMs, AbortSignal.any([hurry.signal, closed.signal]))
      isUntold = false
      hurry = new AbortController()
      await notify(channel, sender).catch(() => {})
      await pause(pauseMs, closed.signal)
    }
    isNotifying = false
  }

  const toNotify = (states: readonly QueueState[]): void => {
    if (states.length > 0) void notifyOthers(states.some(({ shard }) => !shards.has(shard)))
  }

  return {
    tellAdded: (rows) => {
      for (const row of rows) tellRow(row)
      toNotify(rows)
    },
    tellChanged: (queues) => {
      const changed = queues.flatMap((state) => state ?? [])
      for (const state of changed) own.tell({ kind: 'changed', state })
      toNotify(changed)
    },
    tellLost: () => own.tell({ kind: 'lost' }),
    setShards: (owned) => {
      shards = owned
    },
    listen: (listener) => {
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
              own.tell({ kind: 'missed' })
            },
            () => own.tell({ kind: 'missed' }),
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
    close: () => {
      closed.abort()
      stopListening?.()
    },
  }
}
