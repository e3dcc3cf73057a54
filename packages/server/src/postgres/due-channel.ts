import { setTimeout } from 'node:timers/promises'
import type { Notifications } from './notifications.ts'

/** Tells processes that a delivery is due. */
export type DueChannel = {
  /** Tells everybody, this process at once and the others soon; many calls at the same time are one. */
  announce(): void
  /**
   * Calls `wake` whenever anybody announced something.
   *
   * @returns stops the calls.
   */
  listen(wake: () => void): () => void
  close(): void
}

/** What {@link createDueChannel} works with. */
export type DueChannelContext = {
  readonly notifications: Notifications
  /** Notifies a channel, in a transaction of its own. */
  notify(channel: string, payload: string): Promise<void>
  /** Tells this process from the others. */
  readonly sender: string
}

const channel = 'wabakit_due'

/** Pause between notifications: a wake-up that comes a little later is better than a thousand of them. */
const quietMs = 20

/**
 * Makes a channel over NOTIFY. It is never part of the transaction that made something due: PostgreSQL commits
 * notifying transactions one after the other, and so would take from all of them the advantage of committing together.
 * What gets lost with a process or a connection, the polls of the workers find.
 */
export const createDueChannel = ({ notifications, notify, sender }: DueChannelContext): DueChannel => {
  const listeners = new Set<() => void>()
  const closed = new AbortController()
  let isWaking = false
  let isNotifying = false
  let isAnnouncedAgain = false
  let stopListening: (() => void) | undefined

  const wake = (): void => {
    if (isWaking || listeners.size === 0) return
    isWaking = true
    queueMicrotask(() => {
      isWaking = false
      for (const listener of listeners) listener()
    })
  }

  const notifyOthers = async (): Promise<void> => {
    isAnnouncedAgain = true
    if (isNotifying) return
    isNotifying = true
    while (isAnnouncedAgain && !closed.signal.aborted) {
      isAnnouncedAgain = false
      await notify(channel, sender).catch(() => {})
      await setTimeout(quietMs, undefined, { signal: closed.signal, ref: false }).catch(() => {})
    }
    isNotifying = false
  }

  return {
    announce: () => {
      wake()
      void notifyOthers()
    },
    listen: (listener) => {
      const own = (): void => listener()
      listeners.add(own)
      stopListening ??= notifications.listen(channel, {
        onMessage: (payload) => {
          if (payload !== sender) wake()
        },
        // What was announced before cannot be known.
        onListening: wake,
      })
      return () => {
        listeners.delete(own)
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
