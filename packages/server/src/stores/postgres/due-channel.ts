import { setTimeout } from 'node:timers/promises'
import { createDueNotifier } from '@wabakit/core/storage'
import type { Notifications } from './notifications.ts'

/** Notifies the workers of all processes that a delivery is due. */
export type DueChannel = {
  /** Notifies the workers of this process immediately and the others soon. Concurrent calls are merged. */
  announce(): void
  /**
   * Calls `wake` after an announcement by any process.
   *
   * @returns a function that unsubscribes.
   */
  listen(wake: () => void): () => void
  close(): void
}

export type DueChannelOptions = {
  readonly notifications: Notifications
  /** Notifies a channel, in a transaction of its own. */
  notify(channel: string, payload: string): Promise<void>
  /** Identifies this process. */
  readonly sender: string
}

const channel = 'wabakit_due'

/** The pause between notifications: one late notification costs less than a thousand. */
const pauseMs = 20

/**
 * Creates a channel over NOTIFY. Notifications are never part of the transaction that made something due: PostgreSQL
 * commits notifying transactions one at a time, so those transactions could no longer share a disk write. If a
 * notification is lost with a process or a connection, the polling of the workers finds the delivery.
 */
export const createDueChannel = ({ notifications, notify, sender }: DueChannelOptions): DueChannel => {
  const local = createDueNotifier()
  const subscriptions = new Set<() => void>()
  const closed = new AbortController()
  let isNotifying = false
  let isAnnouncedAgain = false
  let stopListening: (() => void) | undefined

  const notifyOthers = async (): Promise<void> => {
    isAnnouncedAgain = true
    if (isNotifying) return
    isNotifying = true
    while (isAnnouncedAgain && !closed.signal.aborted) {
      isAnnouncedAgain = false
      await notify(channel, sender).catch(() => {})
      await setTimeout(pauseMs, undefined, { signal: closed.signal, ref: false }).catch(() => {})
    }
    isNotifying = false
  }

  return {
    announce: () => {
      local.notify()
      void notifyOthers()
    },
    listen: (wake) => {
      const unsubscribe = local.subscribe(wake)
      subscriptions.add(unsubscribe)
      stopListening ??= notifications.listen(channel, {
        onMessage: (payload) => {
          if (payload !== sender) local.notify()
        },
        // Announcements from before the connection are unknown.
        onListening: local.notify,
      })
      return () => {
        unsubscribe()
        subscriptions.delete(unsubscribe)
        if (subscriptions.size > 0) return
        stopListening?.()
        stopListening = undefined
      }
    },
    close: () => {
      closed.abort()
      stopListening?.()
      for (const unsubscribe of subscriptions) unsubscribe()
    },
  }
}
