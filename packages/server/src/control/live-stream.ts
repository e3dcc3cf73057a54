import type { AttemptReported, EventRecord, ReferenceServer } from '@wabakit/core'
import { attemptOutcome } from '../host/attempt-outcome.ts'
import { eventsAfter } from './events-after.ts'
import { showEvent } from './views/event.ts'
import { utc } from './views/times.ts'

/** What of a server is streamed. */
export type LiveStreamContext = {
  readonly service: Pick<ReferenceServer, 'events' | 'on' | 'dispatcher'>
  /**
   * How often the store is asked for what other processes stored, in milliseconds.
   * @default 1_000
   */
  readonly pollMs?: number
  /** Gets what ended a stream, such as a store that cannot be reached; its reader connects again. */
  readonly onError: (error: unknown) => void
}

/** Where a stream begins. */
export type StreamStart = {
  readonly organizationId: string
  /** Right after the event of this id; from now on when omitted. */
  readonly after: string | undefined
}

/** Server-sent events of what happens. */
export type LiveStream = {
  /** Opens a stream: `event` messages with the event's id, which it can be resumed after, and `attempt` messages. */
  open(start: StreamStart): ReadableStream<Uint8Array>
  /** Tells that there may be something new. */
  wake(): void
  /** Ends all streams. */
  close(): void
}

const heartbeatMs = 15_000
/** Attempts that are kept for a reader that is slow; older ones are dropped, they can be listed. */
const keptAttempts = 1_000

const encoder = new TextEncoder()
const message = (name: string, data: object, id?: string): Uint8Array =>
  encoder.encode(`event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`)

const eventMessage = (event: EventRecord): Uint8Array => message('event', showEvent(event), event.id)

const attemptMessage = (report: AttemptReported): Uint8Array => {
  const { delivery, event, subscription } = report.claimed
  const attempt = 'attempt' in report.result ? report.result.attempt : undefined
  return message('attempt', {
    deliveryId: delivery.id,
    eventId: event.id,
    eventName: event.name,
    subscriptionId: subscription.id,
    url: subscription.url,
    number: delivery.attempts + 1,
    outcome: attemptOutcome(report),
    status: attempt?.status ?? null,
    error: attempt?.error ?? null,
    durationMs: attempt?.durationMs ?? null,
    startedAt: attempt === undefined ? null : utc(attempt.startedAt),
  })
}

const streamOf = (messages: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> =>
  new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await messages.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => {
      await messages.return(undefined)
    },
  })

/** Makes the streams of a server. */
export const createLiveStream = ({ service, pollMs = 1_000, onError }: LiveStreamContext): LiveStream => {
  const sleepers = new Set<() => void>()
  let closed = false
  const wake = (): void => {
    for (const awaken of sleepers) awaken()
  }
  const stopListening = service.on('*', wake)

  const sleep = (): Promise<void> =>
    new Promise((resolve) => {
      const awaken = (): void => {
        clearTimeout(timer)
        sleepers.delete(awaken)
        resolve()
      }
      const timer = setTimeout(awaken, pollMs)
      sleepers.add(awaken)
    })

  const newest = async (organizationId: string): Promise<string | undefined> => {
    const { items } = await service.events.list(organizationId, { order: 'newest_first', limit: 1 })
    return items[0]?.id
  }

  async function* follow({ organizationId, after }: StreamStart): AsyncGenerator<Uint8Array> {
    const attempts: AttemptReported[] = []
    const stopAttempts = service.dispatcher.onAttempt((report) => {
      if (report.claimed.event.organizationId !== organizationId) return
      attempts.push(report)
      if (attempts.length > keptAttempts) attempts.shift()
      wake()
    })
    try {
      let last = after ?? (await newest(organizationId))
      let spokeAt = Date.now()
      yield encoder.encode('retry: 1000\n\n')
      while (!closed) {
        // Taken before the events are read: an attempt never comes before its event.
        const made = attempts.length
        const items = await eventsAfter(service.events, organizationId, last)
        for (const event of items) yield eventMessage(event)
        last = items.at(-1)?.id ?? last
        for (const report of attempts.splice(0, made)) yield attemptMessage(report)
        if (items.length > 0 || made > 0) spokeAt = Date.now()
        else if (Date.now() - spokeAt >= heartbeatMs) {
          spokeAt = Date.now()
          yield encoder.encode(':\n\n')
        }
        if (attempts.length === 0) await sleep()
      }
    } catch (error) {
      onError(error)
    } finally {
      stopAttempts()
    }
  }

  return {
    open: (start) => streamOf(follow(start)),
    wake,
    close: () => {
      closed = true
      stopListening()
      wake()
    },
  }
}
