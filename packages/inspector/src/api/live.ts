import { effect, signal } from '@preact/signals'
import { organizationId } from './organization.ts'
import { request } from './send.ts'
import type { Event, LiveAttempt } from '@wabakit/server/control-types'

/** A message of the live stream, or `change`: an action of this page has changed something. */
export type LiveMessage =
  | { readonly type: 'change' }
  | { readonly type: 'event'; readonly event: Event }
  | { readonly type: 'attempt'; readonly attempt: LiveAttempt }

type Listener = (message: LiveMessage) => void

/** Whether the live stream is connected. */
export const isConnected = signal(false)

const listeners = new Set<Listener>()
const reconnectMs = 1_000

/**
 * Calls a listener with each message from now on.
 *
 * @returns a function that unsubscribes.
 */
export const listen = (listener: Listener): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const publish = (message: LiveMessage): void => {
  for (const listener of listeners) listener(message)
}

/** Says to the views that an action of this page has changed something: the live stream may not mention it. */
export const publishChange = (): void => publish({ type: 'change' })

const parseMessage = (text: string): LiveMessage | undefined => {
  const [, type] = /^event: (\w+)$/m.exec(text) ?? []
  const [, data = ''] = /^data: (.*)$/m.exec(text) ?? []
  if (type === 'event') return { type, event: JSON.parse(data) }
  return type === 'attempt' ? { type, attempt: JSON.parse(data) } : undefined
}

/** Reads the stream with `fetch`, because an EventSource cannot send a token. */
const read = async (
  id: string,
  after: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> => {
  let last = after
  try {
    const path = `/organizations/${encodeURIComponent(id)}/stream`
    const { body } = await request(path, { signal, query: { after } })
    isConnected.value = true
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
    for (let rest = ''; reader !== undefined; ) {
      const { done, value } = await reader.read()
      if (done) break
      const texts = (rest + value).split('\n\n')
      rest = texts.pop() ?? ''
      for (const text of texts) {
        const message = parseMessage(text)
        if (message === undefined) continue
        if (message.type === 'event') last = message.event.id
        publish(message)
      }
    }
  } catch {
    // The next attempt to connect follows, and the page shows that it is not connected.
  }
  return last
}

/** Follows what happens in the organization that the page shows. */
export const startLive = (): void => {
  effect(() => {
    const id = organizationId.value
    if (id === undefined) return
    const controller = new AbortController()
    const { signal } = controller
    const follow = async (): Promise<void> => {
      for (let after: string | undefined; !signal.aborted; ) {
        after = await read(id, after, signal)
        isConnected.value = false
        await new Promise((resolve) => setTimeout(resolve, reconnectMs))
      }
    }
    void follow()
    return () => controller.abort()
  })
}
