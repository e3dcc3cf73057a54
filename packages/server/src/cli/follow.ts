import { setTimeout as sleep } from 'node:timers/promises'
import { CliError } from './cli-error.ts'
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

/**
 * The live stream of an organization, without an end: when it breaks it is opened again after the last event that
 * came, so that none is missed. Returns when the signal aborts.
 *
 * @throws CliError when the stream cannot be opened the first time.
 */
export async function* follow(options: FollowOptions): AsyncGenerator<StreamMessage> {
  const { control, organization, output, signal } = options
  const path = `/organizations/${encodeURIComponent(organization)}/stream`
  let last: string | undefined
  let isOpen = false
  while (!signal.aborted) {
    try {
      const headers: Record<string, string> = last === undefined ? {} : { 'last-event-id': last }
      const { body } = await control.open(path, { headers, signal })
      if (!isOpen) options.onOpen()
      isOpen = true
      for await (const message of readEventStream(body ?? new ReadableStream())) {
        last = message.id ?? last
        yield message
      }
    } catch (error) {
      if (signal.aborted) return
      if (!isOpen) throw error
      if (error instanceof CliError) output.note(error.message)
    }
    output.note('The stream broke; opening it again.')
    await sleep(reconnectAfterMs, undefined, { signal }).catch(() => undefined)
  }
}
