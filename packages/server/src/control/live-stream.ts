import { setTimeout as sleepFor } from 'node:timers/promises'
import type { EventRecord, ReferenceServer, Store } from '@wabakit/core'
import { followEvents } from './follow-events.ts'
import { LiveAttempt, showLiveAttempt } from './live-attempt.ts'
import { showEvent } from './views/event.ts'

/** Attempts that other processes make. */
export type OtherAttempts = {
  /**
   * Calls `show` with each from now on.
   *
   * @returns stops it.
   */
  follow(organizationId: string, show: (attempt: unknown) => void): Promise<() => void>
}

/** What of a server is streamed. */
export type LiveStreamContext = {
  readonly service: Pick<ReferenceServer, 'events' | 'on' | 'dispatcher'>
  readonly store: Pick<Store, 'onDue'>
  /** `undefined` where no other process shares the store. */
  readonly otherAttempts: OtherAttempts | undefined
  /**
   * How often the store is asked for what nobody told of, such as an event of another process that nobody subscribed
   * to, in milliseconds.
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
  /**
   * Opens a stream: `event` messages with the event's id, which it can be resumed after, and `attempt` messages. What
   * happens after this has resolved is in it.
   *
   * @throws StorageUnavailableError when the store cannot be reached.
   */
  open(start: StreamStart): Promise<ReadableStream<Uint8Array>>
  /** Tells that there may be something new. */
  wake(): void
  /** Ends all streams. */
  close(): void
}

const heartbeatMs = 15_000
/** Pause between two readings of the events: following makes those who write them wait for a moment. */
const quietMs = 50
/** Attempts that are kept for a reader that is slow; older ones are dropped, they can be listed. */
const keptAttempts = 1_000

const encoder = new TextEncoder()
const message = (name: string, data: object, id?: string): Uint8Array =>
  encoder.encode(`event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`)

const eventMessage = (event: EventRecord): Uint8Array => message('event', showEvent(event), event.id)

const streamOf = async (messages: AsyncGenerator<Uint8Array>): Promise<ReadableStream<Uint8Array>> => {
  const first = await messages.next()
  return new ReadableStream({
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

/** Makes the streams of a server. */
export const createLiveStream = (context: LiveStreamContext): LiveStream => {
  const { service, store, otherAttempts, pollMs = 1_000, onError } = context
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

  /** Gathers attempts until it is stopped. */
  const gatherAttempts = async (organizationId: string, attempts: LiveAttempt[]): Promise<() => void> => {
    const add = (attempt: LiveAttempt): void => {
      attempts.push(attempt)
      if (attempts.length > keptAttempts) attempts.shift()
      wake()
    }
    const stop = service.dispatcher.onAttempt((report) => {
      if (report.claimed.event.organizationId === organizationId) add(showLiveAttempt(report))
    })
    const stopOthers = await otherAttempts?.follow(organizationId, (attempt) => {
      const { data } = LiveAttempt.safeParse(attempt)
      if (data !== undefined) add(data)
    })
    return () => {
      stop()
      stopOthers?.()
    }
  }

  async function* follow({ organizationId, after }: StreamStart): AsyncGenerator<Uint8Array> {
    const attempts: LiveAttempt[] = []
    const stopAttempts = await gatherAttempts(organizationId, attempts)
    const stopWaking = store.onDue(wake)
    let isOpen = false
    try {
      const readOn = await followEvents(service.events, organizationId, after)
      let spokeAt = Date.now()
      isOpen = true
      yield encoder.encode('retry: 1000\n\n')
      while (!closed) {
        // Taken before the events are read: an attempt never comes before its event.
        const made = attempts.length
        let told = made
        for (let isMore = true; isMore; ) {
          const page = await readOn()
          for (const event of page.items) yield eventMessage(event)
          told += page.items.length
          isMore = page.isMore
        }
        for (const attempt of attempts.splice(0, made)) yield message('attempt', attempt)
        if (told > 0) spokeAt = Date.now()
        else if (Date.now() - spokeAt >= heartbeatMs) {
          spokeAt = Date.now()
          yield encoder.encode(':\n\n')
        }
        if (attempts.length === 0) await sleep()
        await sleepFor(quietMs, undefined, { ref: false })
      }
    } catch (error) {
      if (!isOpen) throw error
      onError(error)
    } finally {
      stopAttempts()
      stopWaking()
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
