import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'
import { assertWritable } from './session.ts'

export type NotificationListener = {
  onMessage(payload: string): void
  /** Called when messages start to arrive, and again after each interruption. Earlier messages are lost. */
  onListening(): void
}

/** The listening connection, for a caller that depends on its session. */
export type ListeningConnection = {
  readonly client: pg.Client
  /** Aborts as soon as the connection is known to be lost. */
  readonly gone: AbortSignal
  /** Closes the connection, so that another one replaces it. */
  giveUp(error: unknown): void
}

export type Notifications = ReturnType<typeof createNotifications>

export type NotificationsOptions = {
  /** Creates a client without connecting it. */
  connect(): pg.Client
  readonly onError: (error: unknown) => void
}

const heartbeatMs = 10_000
const reconnectMs = 1_000

/** Waits, without keeping the process alive. Ends early if the signal is aborted. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal, ref: false }).catch(() => {})

/**
 * Receives messages between the processes that share a database, with LISTEN. All listeners share one
 * connection, which is open only while needed. A broken connection is replaced.
 */
export const createNotifications = ({ connect, onError }: NotificationsOptions) => {
  const channels = new Map<string, Set<NotificationListener>>()
  let holder: ((connection: ListeningConnection) => Promise<void>) | undefined
  let connected: ListeningConnection | undefined
  let session: AbortController | undefined
  let check = (): void => {}

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
        // On a server that is no longer the primary, nothing is announced, and the lock of a worker proves nothing.
        await Promise.race([assertWritable(client), ended])
        const { promise: asked, resolve } = Promise.withResolvers<void>()
        check = resolve
        await Promise.race([pause(heartbeatMs, signal), asked, ended])
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
    /** @returns a function that stops listening. */
    listen: (channel: string, listener: NotificationListener): (() => void) => {
      const own = { ...listener }
      const listeners = channels.get(channel) ?? new Set()
      channels.set(channel, listeners.add(own))
      startOnce()
      // If this fails because the connection breaks, the next connection will listen to all channels.
      if (connected !== undefined) listenTo(connected, channel).catch(() => {})
      return () => {
        listeners.delete(own)
        if (listeners.size > 0 || channels.get(channel) !== listeners) return
        channels.delete(channel)
        connected?.client.query(`UNLISTEN ${channel}`).catch(() => {})
        stopIfUnused()
      }
    },
    /**
     * Keeps the connection open for one caller. Calls `onConnected` with the current connection, if there is one, and
     * with each new one before it listens. If `onConnected` rejects, the connection is replaced.
     *
     * @returns a function that releases the connection.
     */
    hold: (onConnected: (connection: ListeningConnection) => Promise<void>): (() => void) => {
      holder = onConnected
      startOnce()
      if (connected !== undefined) onConnected(connected).catch(connected.giveUp)
      return () => {
        if (holder !== onConnected) return
        holder = undefined
        stopIfUnused()
      }
    },
    /** Checks the connection now, because another one has led to a server that only reads. */
    check: (): void => check(),
    close: (): void => {
      channels.clear()
      holder = undefined
      stopIfUnused()
    },
  }
}
