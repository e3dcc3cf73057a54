import { effect, signal } from '@preact/signals'
import type { Event, LiveAttempt } from '@wabakit/server/control-types'
import { isTokenRequired, token } from '../state/session.ts'
import { organizationId } from './organization.ts'
import { request } from './send.ts'

export type LiveMessage =
  | { readonly type: 'event'; readonly event: Event }
  | { readonly type: 'attempt'; readonly attempt: LiveAttempt }

/**
 * The state of the live stream:
 * - `connecting` → `connected`: the server responded.
 * - `connecting` or `connected` → `broken`: the server did not respond, the stream ended, or no data arrived for too
 *   long.
 * - `broken` → `connected`: the page has reconnected.
 */
export const connection = signal<'connecting' | 'connected' | 'broken'>('connecting')

const listeners = new Set<(message: LiveMessage) => void>()
const reconnectMs = 1_000
/** Maximum time without data, in milliseconds. An idle server sends a comment every 15 seconds. */
const maxSilenceMs = 35_000

/** Calls a listener with each new message. Returns a function that unsubscribes. */
export const listen = (listener: (message: LiveMessage) => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const parseMessage = (text: string): LiveMessage | undefined => {
  // Only a line feed ends a line. For a regular expression, U+2028 would end one, too.
  const lines = text.split('\n')
  const read = (field: string): string =>
    lines.find((line) => line.startsWith(`${field}: `))?.slice(field.length + 2) ?? ''
  const [type, data] = [read('event'), read('data')]
  if (type === 'event') return { type, event: JSON.parse(data) }
  return type === 'attempt' ? { type, attempt: JSON.parse(data) } : undefined
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
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
    for (let rest = ''; reader !== undefined; ) {
      const { done, value } = await reader.read()
      if (done) return
      hear()
      const texts = (rest + value).split('\n\n')
      rest = texts.pop() ?? ''
      for (const text of texts) {
        const message = parseMessage(text)
        if (message !== undefined) for (const listener of listeners) listener(message)
      }
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
    const follow = async (): Promise<void> => {
      connection.value = 'connecting'
      while (!controller.signal.aborted) {
        await read(id, controller.signal).catch(() => {})
        if (controller.signal.aborted) return
        connection.value = 'broken'
        await new Promise((resolve) => setTimeout(resolve, reconnectMs))
      }
    }
    void follow()
    return () => controller.abort()
  })
