import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { Notifications } from './notifications.ts'

/**
 * Publishes this process's attempts to the followers of an organization in other processes. A lost message does no
 * harm, because the attempt is in the database.
 */
export type AttemptFeed = {
  startPublishing(): void
  /** Publishes an attempt, as JSON, to the followers in other processes. */
  publish(organizationId: string, attempt: object): void
  /**
   * Calls `onAttempt` with each new attempt that another process publishes.
   *
   * @returns a function that stops following.
   */
  follow(organizationId: string, onAttempt: (attempt: unknown) => void): Promise<() => void>
  close(): void
}

export type AttemptFeedOptions = {
  readonly notifications: Notifications
  /** Notifies a channel in a separate transaction. */
  notify(channel: string, payload: string): Promise<void>
  /** Identifies this process. */
  readonly sender: string
}

const channels = { followed: 'wabakit_followed', attempts: 'wabakit_attempts' } as const

/** Interval at which a follower announces itself, and the validity of an announcement, in milliseconds. */
const renewMs = 5_000
const validMs = 15_000
/** Maximum time to wait for the connection before a stream is opened, in milliseconds. */
const connectMs = 2_000
/** Time that a new publisher waits for followers to announce themselves, in milliseconds. */
const announcementMs = 250
/** The pause between messages, in milliseconds, and the maximum number of attempts that wait for the next message. */
const pauseMs = 20
const maxWaiting = 1_000
/** Maximum size of a message, in bytes. PostgreSQL accepts fewer than 8,000. */
const maxBytes = 7_900

/** A message without attempts asks the followers to announce themselves. */
const Message = z.object({
  sender: z.string(),
  attempts: z.array(z.object({ followed: z.string(), attempt: z.unknown() })),
})
type PublishedAttempt = z.infer<typeof Message>['attempts'][number]

/** Returns a short name for an organization. */
const hashName = (organizationId: string): string =>
  createHash('sha256').update(organizationId).digest('base64url')

const parse = (payload: string): z.infer<typeof Message> | undefined => {
  try {
    return Message.parse(JSON.parse(payload))
  } catch {
    // Another version sent this message.
    return undefined
  }
}

/** Creates a feed over NOTIFY. It sends nothing while there are no followers. */
export const createAttemptFeed = ({ notifications, notify, sender }: AttemptFeedOptions): AttemptFeed => {
  /** Expiry of the last announcement for each organization. */
  const followed = new Map<string, number>()
  /** Attempts made before the followers were known. */
  let early: Array<() => void> | undefined = []
  let waiting: PublishedAttempt[] = []
  let isSending = false
  let isClosed = false

  const send = (channel: string, payload: string): Promise<void> => notify(channel, payload).catch(() => {})

  const formatMessage = (attempts: readonly PublishedAttempt[]): string =>
    JSON.stringify({ sender, attempts })

  /**
   * Removes and returns the attempts that fit into one message. An attempt that is too large for a message is dropped.
   */
  const takeMessage = (): string | undefined => {
    let taken = 0
    let message: string | undefined
    for (;;) {
      if (taken === waiting.length) break
      const longer = formatMessage(waiting.slice(0, taken + 1))
      if (Buffer.byteLength(longer) > maxBytes) break
      message = longer
      taken++
    }
    waiting = waiting.slice(Math.max(1, taken))
    return message
  }

  const sendAll = async (): Promise<void> => {
    if (isSending) return
    isSending = true
    while (waiting.length > 0 && !isClosed) {
      const message = takeMessage()
      if (message !== undefined) await send(channels.attempts, message)
      await setTimeout(pauseMs, undefined, { ref: false })
    }
    isSending = false
  }

  const publish: AttemptFeed['publish'] = (organizationId, attempt) => {
    if (early !== undefined) {
      early.push(() => publish(organizationId, attempt))
      early = early.slice(-maxWaiting)
      return
    }
    if (followed.size === 0) return
    const name = hashName(organizationId)
    const until = followed.get(name)
    if (until === undefined) return
    if (until < performance.now()) {
      followed.delete(name)
      return
    }
    waiting.push({ followed: name, attempt })
    waiting = waiting.slice(-maxWaiting)
    void sendAll()
  }

  const findFollowers = async (): Promise<void> => {
    await send(channels.attempts, formatMessage([]))
    await setTimeout(announcementMs, undefined, { ref: false })
    const attempts = early ?? []
    early = undefined
    for (const publishAttempt of attempts) publishAttempt()
  }

  return {
    startPublishing: () => {
      notifications.listen(channels.followed, {
        onMessage: (name) => followed.set(name, performance.now() + validMs),
        onListening: () => void findFollowers(),
      })
    },
    publish,
    follow: async (organizationId, onAttempt) => {
      const name = hashName(organizationId)
      const listening = Promise.withResolvers<void>()
      const renew = (): void => void send(channels.followed, name)
      const stop = notifications.listen(channels.attempts, {
        onListening: listening.resolve,
        onMessage: (payload) => {
          const message = parse(payload)
          if (message === undefined || message.sender === sender) return
          if (message.attempts.length === 0) renew()
          for (const each of message.attempts) if (each.followed === name) onAttempt(each.attempt)
        },
      })
      await Promise.race([listening.promise, setTimeout(connectMs, undefined, { ref: false })])
      await send(channels.followed, name)
      const timer = setInterval(renew, renewMs).unref()
      return () => {
        clearInterval(timer)
        stop()
      }
    },
    close: () => {
      isClosed = true
      waiting = []
    },
  }
}
