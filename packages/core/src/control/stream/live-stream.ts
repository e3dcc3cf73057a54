import { createStream } from '@wabakit/wire'
import type { EventRecord, ReferenceServer, Store } from '../../index.ts'
import { showEvent } from '../views/event.ts'
import { type LiveAttempt, showLiveAttempt } from './live-attempt.ts'

type LiveStreamOptions = {
  readonly service: Pick<ReferenceServer, 'events' | 'on'> & {
    readonly dispatcher: Pick<ReferenceServer['dispatcher'], 'onAttempt'>
  }
  readonly store: Pick<Store, 'listen'>
  /** Calls `run` after `ms` milliseconds, and returns a function that cancels it. @default the global timers */
  readonly after?: ((ms: number, run: () => void) => () => void) | undefined
  /** Receives the error that ended a stream, such as a lost connection to the store. The stream's client reconnects. */
  readonly onError: (error: unknown) => void
}

type StreamStart = {
  readonly organizationId: string
  /**
   * The id of the event to start after. If it is omitted, the stream contains only new events. If it is empty, or the
   * event is no longer stored, the stream starts with the oldest stored event.
   */
  readonly after: string | undefined
}

const heartbeatMs = 15_000
/** Interval, in milliseconds, of polls for events without a notification, such as events that match no subscription. */
const pollMs = 1_000
/** Pause between two reads of events, in milliseconds. On PostgreSQL, a read briefly delays the writers of events. */
const readPauseMs = 50
/**
 * Maximum number of attempts that wait until a slow client has received those before. Older ones are dropped; those
 * that were recorded can still be listed.
 */
const maxBufferedAttempts = 1_000

const startTimer = (ms: number, run: () => void): (() => void) => {
  const timer = setTimeout(run, ms)
  Object(timer).unref?.()
  return () => clearTimeout(timer)
}

const encoder = new TextEncoder()

const formatMessage = (name: string, data: object, id?: string): Uint8Array =>
  encoder.encode(`event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`)

const pageSize = 100

/** Returns a function that reads the events since its last call, in the order in which they happened. */
const followEvents = async (
  events: ReferenceServer['events'],
  { organizationId, after }: StreamStart,
): Promise<() => AsyncGenerator<EventRecord>> => {
  const newest = { order: 'newest_first', limit: 1 } as const
  const eventId = after ?? (await events.list(organizationId, newest)).items[0]?.id
  let cursor = eventId ? (await events.list(organizationId, { eventId, limit: 1 })).nextCursor : undefined

  return async function* () {
    for (let isMore = true; isMore; ) {
      const { items, nextCursor } = await events.list(organizationId, { limit: pageSize, cursor })
      cursor = nextCursor ?? cursor
      yield* items
      isMore = items.length === pageSize
    }
  }
}

/** Resolves when the first message is available. Rejects if an error occurs before that. */
const toStream = async (messages: AsyncGenerator<Uint8Array>): Promise<ReadableStream<Uint8Array>> => {
  const first = await messages.next()
  return createStream({
    start: (controller) => {
      if (first.value !== undefined) controller.enqueue(first.value)
    },
    pull: async (controller) => {
      const { done, value } = await messages.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => {
      await messages.return(undefined)
    },
  })
}

export const createLiveStream = ({ service, store, after = startTimer, onError }: LiveStreamOptions) => {
  const waiters = new Set<() => void>()
  let closed = false
  let wakes = 0
  const wake = (): void => {
    wakes++
    for (const resume of waiters) resume()
  }

  const waitForNews = (): Promise<void> =>
    new Promise((resolve) => {
      const resume = (): void => {
        cancelPoll()
        waiters.delete(resume)
        resolve()
      }
      const cancelPoll = after(pollMs, resume)
      waiters.add(resume)
    })

  /** Adds attempts to the array until the returned function is called. */
  const collectAttempts = (organizationId: string, attempts: LiveAttempt[]): (() => void) =>
    service.dispatcher.onAttempt((report) => {
      if (report.attempted.event.organizationId !== organizationId) return
      attempts.push(showLiveAttempt(report))
      if (attempts.length > maxBufferedAttempts) attempts.shift()
      wake()
    })

  async function* follow(start: StreamStart): AsyncGenerator<Uint8Array> {
    const attempts: LiveAttempt[] = []
    const stops = [collectAttempts(start.organizationId, attempts), service.on('*', wake), store.listen(wake)]
    let isOpen = false
    try {
      const readNew = await followEvents(service.events, start)
      let lastSentAt = performance.now()
      isOpen = true
      yield encoder.encode('retry: 1000\n\n')
      while (!closed) {
        const seen = wakes
        // Takes the attempts before reading events, so that no attempt precedes its event.
        const attempted = attempts.splice(0)
        let hasNews = attempted.length > 0
        for await (const event of readNew()) {
          yield formatMessage('event', showEvent(event), event.id)
          hasNews = true
        }
        for (const attempt of attempted) yield formatMessage('attempt', attempt)
        if (hasNews) lastSentAt = performance.now()
        else if (performance.now() - lastSentAt >= heartbeatMs) {
          lastSentAt = performance.now()
          yield encoder.encode(':\n\n')
        }
        // What happened since the read began must not wait for the next poll.
        if (wakes === seen) await waitForNews()
        await new Promise<void>((resolve) => after(readPauseMs, resolve))
      }
    } catch (error) {
      if (!isOpen) throw error
      onError(error)
    } finally {
      for (const stop of stops) stop()
    }
  }

  return {
    /**
     * Opens a stream of `event` messages, which have the events' ids, and `attempt` messages. It includes all
     * events that occur after the promise resolves, and the attempts of this process, of which a slow client
     * misses the oldest. It does not include the attempts of other processes: a channel of the database could pass
     * them on, but every role of the database could read it.
     *
     * Events come in the order of the list of events, in every process. An attempt comes after its event, unless that is
     * older than the stream. Attempts come in the order in which this process reported them, so those of a delivery by
     * their number.
     *
     * @throws StorageUnavailableError when the store cannot be reached.
     */
    open: (start: StreamStart): Promise<ReadableStream<Uint8Array>> => toStream(follow(start)),
    /** Makes all streams check for new events. */
    wake,
    close: (): void => {
      closed = true
      wake()
    },
  }
}

export type LiveStream = ReturnType<typeof createLiveStream>
