import { effect, signal } from '@preact/signals'
import type { Event, LiveAttempt } from '@wabakit/server/control-types'
import { readMessages, type StreamMessage } from '@wabakit/wire'
import { isTokenRequired, token } from '../state/session.ts'
import { organizationId } from './organization.ts'
import { request } from './send.ts'

export type LiveMessage =
  | { readonly type: 'event'; readonly event: Event }
  | { readonly type: 'attempt'; readonly attempt: LiveAttempt }

/**
 * The state of the live stream:
 * - `connecting` → `connected`: the server responded.
 * - `connecting` or `connected` → `broken`: the server did not respond or refused, the stream ended, or no data arrived
 *   for too long.
 * - `broken` → `connected`: the page has reconnected.
 * - any → `connecting`: the user chose another organization, or logged in.
 */
export const connection = signal<'connecting' | 'connected' | 'broken'>('connecting')

/**
 * Set while the stream connects, except after a break, but for at most a second. Loading waits for that, because everything is
 * loaded again as soon as the stream has connected.
 */
export const isAwaited = signal(false)

const maxWaitMs = 1_000

const listeners = new Set<(message: LiveMessage) => void>()
const reconnectMs = 1_000
/** Maximum time without data, in milliseconds. An idle server sends a comment every 15 seconds. */
const maxSilenceMs = 35_000

/** Calls a listener with each new message. Returns a function that unsubscribes. */
export const listen = (listener: (message: LiveMessage) => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const toLiveMessage = ({ name, data }: StreamMessage): LiveMessage | undefined => {
  if (name === 'event') return { type: name, event: JSON.parse(data) }
  return name === 'attempt' ? { type: name, attempt: JSON.parse(data) } : undefined
}

/** Reads the stream until it ends. Uses `fetch`, because an `EventSource` cannot send a token. */
const read = async (id: string, signal: AbortSignal): Promise<void> => {
  const silence = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const hear = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), maxSilenceMs)
  }
  try {
    hear()
    const { body } = await request(['organizations', id, 'stream'], {
      signal: AbortSignal.any([signal, silence.signal]),
    })
    connection.value = 'connected'
    isAwaited.value = false
    for await (const each of readMessages(body, hear)) {
      const message = toLiveMessage(each)
      if (message !== undefined) for (const listener of listeners) listener(message)
    }
  } finally {
    clearTimeout(timer)
  }
}

export const startLive = (): (() => void) =>
  effect(() => {
    const id = organizationId.value
    if (id === undefined || isTokenRequired.value || token.value === undefined) return
    const controller = new AbortController()
    connection.value = 'connecting'
    isAwaited.value = true
    const timer = setTimeout(() => (isAwaited.value = false), maxWaitMs)
    const follow = async (): Promise<void> => {
      while (!controller.signal.aborted) {
        await read(id, controller.signal).catch(() => {})
        if (controller.signal.aborted) return
        connection.value = 'broken'
        isAwaited.value = false
        await new Promise((resolve) => setTimeout(resolve, reconnectMs))
      }
    }
    void follow()
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  })
