import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'

/** What somebody hears of a channel. */
export type NotificationListener = {
  /** Gets what was sent. */
  onMessage(payload: string): void
  /** From here on messages come. What was sent before, also during an interruption, does not. */
  onListening(): void
}

/** The connection, for somebody whose state lives as long as its session. */
export type ListeningConnection = {
  readonly client: pg.Client
  /** Aborted as soon as the connection is known to be gone. */
  readonly gone: AbortSignal
  /** Closes it, so that another one is made. */
  giveUp(error: unknown): void
}

/** Messages from all processes that share a database, over one connection, which is there while anybody needs it. */
export type Notifications = {
  /** @returns stops it. */
  listen(channel: string, listener: NotificationListener): () => void
  /**
   * Keeps the connection open for one holder, and calls `onConnected` with each new connection before it listens. A
   * rejection gives the connection up.
   *
   * @returns lets it go.
   */
  hold(onConnected: (connection: ListeningConnection) => Promise<void>): () => void
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
  let holder: ((connection: ListeningConnection) => Promise<void>) | undefined
  let connected: ListeningConnection | undefined
  let session: AbortController | undefined

  const listenTo = async ({ client }: ListeningConnection, channel: string): Promise<void> => {
    await client.query(`LISTEN ${channel}`)
    for (const listener of channels.get(channel) ?? []) listener.onListening()
  }

  const listenOnce = async (client: pg.Client, signal: AbortSignal): Promise<void> => {
    const { promise: ended, reject: giveUp } = Promise.withResolvers<never>()
    ended.catch(() => {})
    client.on('error', giveUp)
    client.on('end', () => giveUp(new Error('the listening connection ended')))
    signal.addEventListener('abort', () => giveUp(signal.reason))
    client.on('notification', ({ channel, payload = '' }) => {
      for (const listener of channels.get(channel) ?? []) listener.onMessage(payload)
    })
    await Promise.race([client.connect(), ended])
    const gone = new AbortController()
    const own = { client, giveUp, gone: gone.signal }
    connected = own
    try {
      if (holder !== undefined) await Promise.race([holder(own), ended])
      for (const channel of channels.keys()) await listenTo(own, channel)
      for (;;) {
        await Promise.race([pause(heartbeatMs, signal), ended])
        await Promise.race([client.query('SELECT 1'), ended])
      }
    } finally {
      if (connected === own) connected = undefined
      gone.abort()
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

  const startOnce = (): void => {
    if (session !== undefined) return
    session = new AbortController()
    void keepListening(session.signal)
  }

  const stopIfUnused = (): void => {
    if (channels.size > 0 || holder !== undefined) return
    session?.abort()
    session = undefined
    connected = undefined
  }

  return {
    listen: (channel, listener) => {
      const own = { ...listener }
      const listeners = channels.get(channel) ?? new Set()
      channels.set(channel, listeners.add(own))
      startOnce()
      // Where the connection breaks meanwhile, the next one listens to everything.
      if (connected !== undefined) listenTo(connected, channel).catch(() => {})
      return () => {
        listeners.delete(own)
        if (listeners.size > 0 || channels.get(channel) !== listeners) return
        channels.delete(channel)
        connected?.client.query(`UNLISTEN ${channel}`).catch(() => {})
        stopIfUnused()
      }
    },
    hold: (onConnected) => {
      holder = onConnected
      startOnce()
      if (connected !== undefined) onConnected(connected).catch(connected.giveUp)
      return () => {
        if (holder !== onConnected) return
        holder = undefined
        stopIfUnused()
      }
    },
    close: () => {
      channels.clear()
      holder = undefined
      stopIfUnused()
    },
  }
}
