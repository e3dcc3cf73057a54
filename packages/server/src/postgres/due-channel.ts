import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'

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
  /** A new client, not connected. */
  connect(): pg.Client
  /** Notifies a channel, in a transaction of its own. */
  notify(channel: string, payload: string): Promise<void>
  /** Tells this process from the others. */
  readonly sender: string
  readonly onError: (error: unknown) => void
}

const channel = 'wabakit_due'

/** Pause between notifications: a wake-up that comes a little later is better than a thousand of them. */
const quietMs = 20
const heartbeatMs = 10_000
const reconnectMs = 1_000

/** Waits, keeping no process alive; ends early when the signal is aborted. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal, ref: false }).catch(() => {})

/**
 * Makes a channel over NOTIFY. It is never part of the transaction that made something due: PostgreSQL commits
 * notifying transactions one after the other, and so would take from all of them the advantage of committing together.
 * What gets lost with a process or a connection, the polls of the workers find.
 */
export const createDueChannel = ({ connect, notify, sender, onError }: DueChannelContext): DueChannel => {
  const listeners = new Set<() => void>()
  const closed = new AbortController()
  let isWaking = false
  let isNotifying = false
  let isAnnouncedAgain = false
  let stopListening: AbortController | undefined

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
      await pause(quietMs, closed.signal)
    }
    isNotifying = false
  }

  const listenOnce = async (client: pg.Client, signal: AbortSignal): Promise<void> => {
    const ended = new Promise<never>((_resolve, reject) => {
      client.on('error', reject)
      client.on('end', () => reject(new Error('the listening connection ended')))
      signal.addEventListener('abort', () => reject(signal.reason))
    })
    ended.catch(() => {})
    client.on('notification', ({ payload }) => {
      if (payload !== sender) wake()
    })
    await Promise.race([client.connect(), ended])
    await client.query(`LISTEN ${channel}`)
    // What was announced before cannot be known.
    wake()
    for (;;) {
      await Promise.race([pause(heartbeatMs, signal), ended])
      await client.query('SELECT 1')
    }
  }

  const keepListening = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const client = connect()
      try {
        await listenOnce(client, signal)
      } catch (error) {
        if (!signal.aborted) onError(error)
      }
      client.end().catch(() => {})
      await pause(reconnectMs, signal)
    }
  }

  return {
    announce: () => {
      wake()
      void notifyOthers()
    },
    listen: (listener) => {
      const own = (): void => listener()
      listeners.add(own)
      if (stopListening === undefined) {
        stopListening = new AbortController()
        void keepListening(stopListening.signal)
      }
      return () => {
        listeners.delete(own)
        if (listeners.size > 0) return
        stopListening?.abort()
        stopListening = undefined
      }
    },
    close: () => {
      closed.abort()
      stopListening?.abort()
      listeners.clear()
    },
  }
}
