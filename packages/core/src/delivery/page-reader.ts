import type { OwnedShard } from '../store.ts'
import { startBackgroundTimer } from '../values/clock.ts'
import type { Queues } from './queues.ts'
import type { Loop } from './scheduler-loop.ts'
import type { Policy } from './start-policy.ts'
import type { SchedulerContext } from './states.ts'

/** Reads pages from the store: of the deliveries of a queue, and of the queues of shards. */
export type Reader = ReturnType<typeof createReader>

/** Maximum number of pages of deliveries that are read concurrently. */
const maxReading = 4

/** Pause after a failed read, in milliseconds. */
export const failurePauseMs = 250

type ReaderContext = SchedulerContext & {
  readonly policy: Policy
  readonly queues: Queues
  readonly loop: Loop
}

export const createReader = ({ store, clock, getEpoch, policy, queues, loop }: ReaderContext) => {
  const { newShards, unread } = queues
  /** Number of pages of deliveries that are being read, and of pauses. */
  let reading = 0
  let sweeping = 0
  /** The cursor up to which all shards except `newShards` were read. */
  let cursor: string | undefined
  /** Set if changes were missed. A read that is under way may not contain them. */
  let isSweepDue = false
  /** Number of times that the reading of new shards has started. */
  let starts = 0

  /** Waits. Counts as a page that is being read, so that a drain does not end before the pause has. */
  const pause = async (ms: number): Promise<void> => {
    reading++
    await new Promise<void>((resolve) => startBackgroundTimer(resolve, ms))
    reading--
    loop.request()
  }

  /** Reads queues page by page. Returns the cursor after the last page; `undefined` if a read failed. */
  const readQueues = async (shards: readonly number[], since?: string): Promise<string | undefined> => {
    sweeping++
    let position = since
    try {
      for (let isMore = true; isMore; ) {
        const page = await store.readQueues({ shards, since: position, limit: 1_000 })
        for (const { state, from } of page.queues) queues.lookFrom(state, from)
        loop.request()
        position = page.cursor
        isMore = page.isMore
      }
      return position
    } catch (error) {
      loop.fail(error)
      return undefined
    } finally {
      sweeping--
      loop.request()
    }
  }

  /** Reads the queues of all shards that have not been read yet. */
  const readNewShards = async (): Promise<void> => {
    if (newShards.size === 0) return
    const start = ++starts
    const before = cursor
    const behind = await readQueues([...newShards])
    // If more shards were taken in the meantime, a later read has started, and includes these shards.
    if (start !== starts) return
    if (behind === undefined) {
      await pause(failurePauseMs)
      return readNewShards()
    }
    // Keeps the earlier cursor, because a sweep that ended in the meantime did not include these shards.
    cursor = before ?? behind
    newShards.clear()
    // A drain waits until this read is complete.
    loop.request()
  }

  const listReadShards = (): number[] =>
    [...Array(store.shards).keys()].filter((shard) => getEpoch(shard) !== undefined && !newShards.has(shard))

  const sweep = async (): Promise<void> => {
    for (const [id, limit] of policy.limits) if (limit.isOver(clock.now())) policy.limits.delete(id)
    if (sweeping > 0 || cursor === undefined) return
    const swept = listReadShards()
    const behind = await readQueues(swept, cursor)
    // If other shards were read in the meantime, the cursor does not move, so that the next sweep includes
    // them.
    if (behind !== undefined && listReadShards().every((shard) => swept.includes(shard))) cursor = behind
  }

  /** Starts the reads that are due, beginning with the queues that have waited longest. */
  const read = (): void => {
    if (isSweepDue && sweeping === 0 && cursor !== undefined) {
      isSweepDue = false
      void sweep()
    }
    for (const queue of unread) {
      if (reading >= maxReading) return
      unread.delete(queue)
      if (!queue.prefetch.needsReading()) continue
      reading++
      queue.prefetch
        .read()
        .catch((error: unknown) => {
          loop.fail(error)
          return pause(failurePauseMs)
        })
        .finally(() => {
          reading--
          queues.place(queue)
          loop.request()
        })
    }
  }

  return {
    pause,
    read,
    sweep,
    /** Reads all queues of newly owned shards. */
    take: (shards: readonly OwnedShard[]): void => {
      for (const { shard } of shards) newShards.add(shard)
      void readNewShards()
    },
    /** Requests a sweep, because changes were missed. */
    miss: (): void => {
      isSweepDue = true
    },
    isReading: () => reading > 0 || sweeping > 0 || unread.size > 0 || newShards.size > 0,
    close: (): void => {
      newShards.clear()
      cursor = undefined
    },
  }
}
