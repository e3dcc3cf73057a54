import { setTimeout } from 'node:timers/promises'
import type { Notifications } from './notifications.ts'

/** Notifies the workers of all processes that a delivery is due. */
export type DueChannel = {
  /** Wakes the workers of this process, and soon those of the others; later if one of this process can claim now. */
  announce(): void
  /**
   * Calls `wake` after an announcement by any process.
   *
   * @returns a function that unsubscribes.
   */
  listen(wake: () => unknown): () => void
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

/** The pause after a notification: one late notification costs less than a thousand. */
const pauseMs = 20

/** The pause before a notification that no delivery waits for, because a worker of this process claims it. */
const longPauseMs = 250

/**
 * Creates a channel over NOTIFY. Notifications are never part of the transaction that made something due: PostgreSQL
 * commits notifying transactions one at a time, so those transactions could no longer share a disk write. If a
 * notification is lost with a process or a connection, the polling of the workers finds the delivery.
 */
export const createDueChannel = ({ notifications, notify, sender }: DueChannelOptions): DueChannel => {
  const listeners = new Set<{ wake(): unknown }>()
  const closed = new AbortController()
  let isNotifying = false
  let isAnnouncedAgain = false
  /** Ends the long pause. */
  let hurry = new AbortController()
  let stopListening: (() => void) | undefined

  /** Wakes the workers of this process. Returns whether one of them can claim now. */
  const wakeOwn = (): boolean => [...listeners].filter(({ wake }) => wake() === true).length > 0

  const pause = (ms: number, signal: AbortSignal): Promise<void> =>
    setTimeout(ms, undefined, { signal, ref: false }).catch(() => {})

  const notifyOthers = async (isUrgent: boolean): Promise<void> => {
    isAnnouncedAgain = true
    if (isUrgent) hurry.abort()
    if (isNotifying) return
    isNotifying = true
    while (isAnnouncedAgain && !closed.signal.aborted) {
      await pause(longPauseMs, AbortSignal.any([hurry.signal, closed.signal]))
      isAnnouncedAgain = false
      hurry = new AbortController()
      await notify(channel, sender).catch(() => {})
      await pause(pauseMs, closed.signal)
    }
    isNotifying = false
  }

  return {
    announce: () => void notifyOthers(!wakeOwn()),
    listen: (wake) => {
      const listener = { wake }
      listeners.add(listener)
      stopListening ??= notifications.listen(channel, {
        onMessage: (payload) => {
          if (payload !== sender) wakeOwn()
        },
        // Announcements from before the connection are unknown.
        onListening: () => void wakeOwn(),
      })
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        stopListening?.()
        stopListening = undefined
      }
    },
    close: () => {
      closed.abort()
      stopListening?.()
      listeners.clear()
    },
  }
}
