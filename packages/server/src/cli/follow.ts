import { setTimeout as sleep } from 'node:timers/promises'
import type { ControlClient } from './control-client.ts'
import { readEventStream, type StreamMessage } from './event-stream.ts'
import type { Output } from './output.ts'

/** What to follow. */
export type FollowOptions = {
  readonly control: ControlClient
  readonly organization: string
  readonly output: Output
  readonly signal: AbortSignal
  /** Gets told once the stream is open for the first time. */
  onOpen(): void
}

const reconnectAfterMs = 1_000

const newestEvent = async (control: ControlClient, organization: string): Promise<string> => {
  const path = `/organizations/${encodeURIComponent(organization)}/events?order=newest_first&limit=1`
  const { items } = (await control.send('GET', path)) as { items: { id: string }[] }
  // An empty one stands for the very beginning.
  return items[0]?.id ?? ''
}

/**
 * The live stream of an organization, without an end: when it breaks it is opened again after the last event that
 * came, so that none is missed. Returns when the signal aborts.
 *
 * @throws CliError when the stream cannot be opened the first time.
 */
export async function* follow(options: FollowOptions): AsyncGenerator<StreamMessage> {
  const { control, organization, output, signal } = options
  const path = `/organizations/${encodeURIComponent(organization)}/stream`
  let last = await newestEvent(control, organization)
  let wasOpen = false
  let isOpen = false
  while (!signal.aborted) {
    try {
      const { body } = await control.open(path, { headers: { 'last-event-id': last }, signal })
      if (!wasOpen) options.onOpen()
      else output.note('The stream is open again.')
      wasOpen = true
      isOpen = true
      for await (const message of readEventStream(body ?? new ReadableStream())) {
        last = message.id ?? last
        yield message
      }
    } catch (error) {
      if (signal.aborted) return
      if (!wasOpen) throw error
    }
    if (signal.aborted) return
    if (isOpen) output.note('The stream broke; opening it again.')
    isOpen = false
    await sleep(reconnectAfterMs, undefined, { signal }).catch(() => undefined)
  }
}
