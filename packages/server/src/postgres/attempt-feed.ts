import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { Notifications } from './notifications.ts'

/**
 * Shows those who follow an organization the attempts that other processes make, while they are made. What gets lost on
 * the way is in the database nevertheless.
 */
export type AttemptFeed = {
  /** Begins to learn who follows. */
  startPublishing(): void
  /** Shows an attempt, as JSON can tell it, to the followers in other processes, if there are any. */
  publish(organizationId: string, attempt: object): void
  /**
   * Calls `show` with what other processes publish from now on.
   *
   * @returns stops it.
   */
  follow(organizationId: string, show: (attempt: unknown) => void): Promise<() => void>
  close(): void
}

/** What {@link createAttemptFeed} works with. */
export type AttemptFeedContext = {
  readonly notifications: Notifications
  /** Notifies a channel, in a transaction of its own. */
  notify(channel: string, payload: string): Promise<void>
  /** Tells this process from the others. */
  readonly sender: string
}

const channels = { followed: 'wabakit_followed', attempts: 'wabakit_attempts' } as const

/** How often a follower says that it still follows, and how long that is believed. */
const renewMs = 5_000
const followedMs = 15_000
/** How long a follower waits to be connected: no longer than who opened the stream. */
const patienceMs = 2_000
/** How long followers have to answer one who begins to publish, and asks who follows. */
const answerMs = 250
/** Pause between messages, and what waits meanwhile; of more than that the oldest are left out. */
const quietMs = 20
const mostWaiting = 1_000
/** PostgreSQL takes less than 8,000 bytes. */
const mostBytes = 7_900

/** Without attempts it asks followers to say that they follow. */
const Message = z.object({
  sender: z.string(),
  attempts: z.array(z.object({ followed: z.string(), attempt: z.unknown() })),
})
type Shown = z.infer<typeof Message>['attempts'][number]

/** A name for an organization that fits into a message. */
const nameOf = (organizationId: string): string =>
  createHash('sha256').update(organizationId).digest('base64url')

const parse = (payload: string): z.infer<typeof Message> | undefined => {
  try {
    return Message.parse(JSON.parse(payload))
  } catch {
    // From another version, which says it in another way.
    return undefined
  }
}

/** Makes a feed over NOTIFY, which costs nothing while nobody follows. */
export const createAttemptFeed = ({ notifications, notify, sender }: AttemptFeedContext): AttemptFeed => {
  /** Until when each is followed. */
  const followed = new Map<string, number>()
  /** Attempts that were made before it was known who follows. */
  let early: Array<() => void> | undefined = []
  let waiting: Shown[] = []
  let isSending = false
  let isClosed = false

  const send = (channel: string, payload: string): Promise<void> => notify(channel, payload).catch(() => {})

  const messageOf = (attempts: readonly Shown[]): string => JSON.stringify({ sender, attempts })

  /** The next that fit into one message; one that does not fit alone is left out. */
  const takeMessage = (): string | undefined => {
    let taken = 0
    let message: string | undefined
    for (;;) {
      if (taken === waiting.length) break
      const longer = messageOf(waiting.slice(0, taken + 1))
      if (Buffer.byteLength(longer) > mostBytes) break
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
      await setTimeout(quietMs, undefined, { ref: false })
    }
    isSending = false
  }

  const publish: AttemptFeed['publish'] = (organizationId, attempt) => {
    if (early !== undefined) {
      early.push(() => publish(organizationId, attempt))
      early = early.slice(-mostWaiting)
      return
    }
    if (followed.size === 0) return
    const name = nameOf(organizationId)
    const until = followed.get(name)
    if (until === undefined) return
    if (until < Date.now()) {
      followed.delete(name)
      return
    }
    waiting.push({ followed: name, attempt })
    waiting = waiting.slice(-mostWaiting)
    void sendAll()
  }

  const askWhoFollows = async (): Promise<void> => {
    await send(channels.attempts, messageOf([]))
    await setTimeout(answerMs, undefined, { ref: false })
    const made = early ?? []
    early = undefined
    for (const publishNow of made) publishNow()
  }

  return {
    startPublishing: () => {
      notifications.listen(channels.followed, {
        onMessage: (name) => followed.set(name, Date.now() + followedMs),
        onListening: () => void askWhoFollows(),
      })
    },
    publish,
    follow: async (organizationId, show) => {
      const name = nameOf(organizationId)
      const listening = Promise.withResolvers<void>()
      const renew = (): void => void send(channels.followed, name)
      const stop = notifications.listen(channels.attempts, {
        onListening: listening.resolve,
        onMessage: (payload) => {
          const message = parse(payload)
          if (message === undefined || message.sender === sender) return
          if (message.attempts.length === 0) renew()
          for (const each of message.attempts) if (each.followed === name) show(each.attempt)
        },
      })
      await Promise.race([listening.promise, setTimeout(patienceMs, undefined, { ref: false })])
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
