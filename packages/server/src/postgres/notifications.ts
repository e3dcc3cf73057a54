import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'

/** What somebody hears of a channel. */
export type NotificationListener = {
  /** Gets what was sent. */
  onMessage(payload: string): void
  /** From here on messages come. What was sent before, also during an interruption, does not. */
  onListening(): void
}

/** Messages from all processes that share a database, over one connection, which is there while anybody listens. */
export type Notifications = {
  /** @returns stops it. */
  listen(channel: string, listener: NotificationListener): () => void
  close(): void
}

/** What {@link createNotifications} works with. */
export type NotificationsContext = {
  /** A new client, not connected. */
  connect(): pg.Client
  readonly onError: (error: unknown) => void
}

const heartbeatMs = 10_000
const reconnectMs = 1_000

/** Waits, keeping no process alive; ends early when the signal is aborted. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal, ref: false }).catch(() => {})

/** Makes them over LISTEN. A connection that breaks is made again. */
export const createNotifications = ({ connect, onError }: NotificationsContext): Notifications => {
  const channels = new Map<string, Set<NotificationListener>>()
  let connected: pg.Client | undefined
  let session: AbortController | undefined

  const listenTo = async (client: pg.Client, channel: string): Promise<void> => {
    await client.query(`LISTEN ${channel}`)
    for (const listener of channels.get(channel) ?? []) listener.onListening()
  }

  const listenOnce = async (client: pg.Client, signal: AbortSignal): Promise<void> => {
    const ended = new Promise<never>((_resolve, reject) => {
      client.on('error', reject)
      client.on('end', () => reject(new Error('the listening connection ended')))
      signal.addEventListener('abort', () => reject(signal.reason))
    })
    ended.catch(() => {})
    client.on('notification', ({ channel, payload = '' }) => {
      for (const listener of channels.get(channel) ?? []) listener.onMessage(payload)
    })
    await Promise.race([client.connect(), ended])
    connected = client
    for (const channel of channels.keys()) await listenTo(client, channel)
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
      if (connected === client) connected = undefined
      client.end().catch(() => {})
      await pause(reconnectMs, signal)
    }
  }

  const stop = (): void => {
    session?.abort()
    session = undefined
    connected = undefined
  }

  return {
    listen: (channel, listener) => {
      const own = { ...listener }
      const listeners = channels.get(channel) ?? new Set()
      channels.set(channel, listeners.add(own))
      if (session === undefined) {
        session = new AbortController()
        void keepListening(session.signal)
      } else if (connected !== undefined) {
        // Where the connection breaks meanwhile, the next one listens to everything.
        listenTo(connected, channel).catch(() => {})
      }
      return () => {
        listeners.delete(own)
        if (listeners.size > 0 || channels.get(channel) !== listeners) return
        channels.delete(channel)
        if (channels.size === 0) stop()
        else connected?.query(`UNLISTEN ${channel}`).catch(() => {})
      }
    },
    close: () => {
      channels.clear()
      stop()
    },
  }
}
