import { setTimeout as sleep } from 'node:timers/promises'
import { readMessages, type StreamMessage } from '@wabakit/wire'
import { signals } from '../serve/close-on-signal.ts'
import { createOrganizationClient } from './control-client.ts'
import type { ServerOptions } from './options.ts'
import { CliError, type Output } from './output.ts'

const reconnectAfterMs = 1_000

/** Creates a signal that aborts on the first SIGTERM or SIGINT, until it is disposed. A second one has its default action. */
const createStopSignal = () => {
  const stop = new AbortController()
  const dispose = (): void => {
    for (const name of signals) process.off(name, onSignal)
  }
  const onSignal = (): void => {
    dispose()
    stop.abort()
  }
  for (const name of signals) process.on(name, onSignal)
  return { signal: stop.signal, [Symbol.dispose]: dispose }
}

/** Returns whether the server is likely to respond with the same error to another request. */
const isLasting = (error: unknown): boolean =>
  error instanceof CliError &&
  error.cause instanceof Response &&
  error.cause.status < 500 &&
  error.cause.status !== 429

/**
 * Follows the live stream of an organization until SIGTERM or SIGINT. If the connection is lost, resumes after the last
 * event.
 *
 * @param onOpen - called when the stream opens for the first time.
 * @throws CliError when the stream cannot be opened for the first time, or the server refuses to open it again.
 */
export async function* follow(
  options: ServerOptions,
  output: Output,
  onOpen: () => void,
): AsyncGenerator<StreamMessage> {
  using stop = createStopSignal()
  const { signal } = stop
  const control = createOrganizationClient(options)
  const newest = await control.send('GET', '/events?order=newest_first&limit=1')
  const { items } = newest as { items: { id: string }[] }
  // With an empty id, the stream starts with the oldest event.
  let last = items[0]?.id ?? ''
  let state: 'new' | 'open' | 'lost' = 'new'
  while (!signal.aborted) {
    try {
      const { body } = await control.openStream('/stream', { headers: { 'last-event-id': last }, signal })
      if (state === 'new') onOpen()
      else output.notice('Reconnected.')
      state = 'open'
      for await (const message of readMessages(body)) {
        last = message.id ?? last
        yield message
      }
    } catch (error) {
      if (signal.aborted) return
      if (state === 'new' || isLasting(error)) throw error
    }
    if (signal.aborted) return
    if (state === 'open') output.notice('The connection was lost. Reconnecting.')
    state = 'lost'
    await sleep(reconnectAfterMs, undefined, { signal }).catch(() => undefined)
  }
}
