import type { DeliveryQueue, HeadsPage, PendingDelivery, RetriesPage } from '../store.ts'
import { createHeap, type HeapItem, notInHeap } from './heap.ts'

/**
 * A prefetched delivery. While it is `busy`, the scheduler has taken it. `newer` is its state as it was read or
 * reported in the meantime: the delivery may have succeeded and been sent again before the scheduler has the outcome.
 */
export type Entry = PendingDelivery &
  HeapItem & { isRetry: boolean; isBusy: boolean; newer: PendingDelivery | null }

/**
 * The part of a queue that a scheduler holds in memory: as many attemptable deliveries as fit. All others stay in the
 * store.
 *
 * All **heads** up to the position `after` are held, taken or finished. `isEnd` is set if there was no head
 * behind that position. All **retries** that are due up to `horizon` are held or taken. Another page is read
 * when the prefetch is half empty.
 *
 * A change that arrives while a page is being read is applied after the page, because the page may be older
 * or newer than the change.
 *
 * These must never happen:
 * - A reported delivery, or one that a page left out, is forgotten. A delivery that does not fit lowers `after` or the
 *   horizon.
 * - A page brings back a delivery that was taken or ended while the page was read.
 */
export type Prefetch = ReturnType<typeof createPrefetch>

type Place = Pick<PendingDelivery, 'dueAt' | 'position'>

const isBefore = (left: Place, right: Place): boolean =>
  left.dueAt < right.dueAt || (left.dueAt === right.dueAt && left.position < right.position)

/** The first and the last of all places. */
const firstPlace: Place = { dueAt: -Infinity, position: -1 }
const lastPlace: Place = { dueAt: Infinity, position: Infinity }

/** The changes that happen while a page is being read. */
type Reading = {
  isVoid: boolean
  /** The versions of deliveries that ended, by id. */
  readonly ended: Map<string, number>
  readonly heads: PendingDelivery[]
  readonly retries: PendingDelivery[]
  from: number
}

export type PrefetchContext = {
  readonly queue: string
  readonly store: Pick<DeliveryQueue, 'readHeads' | 'readRetries'>
  /** Set if changes will report all deliveries of the queue. */
  readonly isEmpty: boolean
  /** Returns the number of heads, and of retries, that may be held now. */
  getSize(): number
}

export const createPrefetch = ({ queue, store, isEmpty, getSize }: PrefetchContext) => {
  const known = new Map<string, Entry>()
  const held = createHeap<Entry>(isBefore)
  let heads = 0
  let retries = 0
  let busy = 0
  let after = isEmpty ? Infinity : 0
  let isEnd = isEmpty
  let horizon = isEmpty ? lastPlace : firstPlace
  let reading: Reading | undefined

  const hold = (pending: PendingDelivery, isRetry: boolean): void => {
    const old = known.get(pending.id)
    // A taken delivery comes back when its attempt has ended.
    if (old?.isBusy) {
      if (!isRetry && pending.version > old.version) old.newer = pending
      return
    }
    if (old !== undefined) drop(old)
    const entry = { ...pending, isRetry, isBusy: false, newer: null, slot: notInHeap }
    known.set(entry.id, entry)
    held.put(entry)
    if (isRetry) retries++
    else heads++
  }

  const drop = (entry: Entry): void => {
    known.delete(entry.id)
    held.remove(entry)
    if (entry.isRetry) retries--
    else heads--
  }

  /** Reads heads again from a position. */
  const lookFrom = (position: number): void => {
    if (reading !== undefined) reading.from = Math.min(reading.from, position)
    after = Math.min(after, position - 1)
    isEnd = false
  }

  const add = (head: PendingDelivery, hasRoom: boolean): void => {
    if (reading !== undefined) reading.heads.push(head)
    // Heads that have not been read yet are read in order.
    else if (hasRoom && (isEnd || head.position <= after)) hold(head, false)
    else lookFrom(Math.min(head.position, after + 1))
  }

  /**
   * Drops the retries with the latest due times, until the others fit. Does nothing until more than twice as many are
   * held as fit, because sorting them for each new one would be slow.
   */
  const trim = (): void => {
    const limit = getSize()
    if (retries <= 2 * limit) return
    const sorted = [...known.values()].filter(({ isRetry, isBusy }) => isRetry && !isBusy)
    sorted.sort((left, right) => (isBefore(left, right) ? -1 : 1))
    horizon = sorted[limit - 1] ?? horizon
    for (const entry of sorted.slice(limit)) drop(entry)
  }

  const addRetry = (pending: PendingDelivery): void => {
    if (reading !== undefined) reading.retries.push(pending)
    else if (!isBefore(horizon, pending)) {
      hold(pending, true)
      trim()
    }
  }

  const begin = (): Reading => ({ isVoid: false, ended: new Map(), heads: [], retries: [], from: Infinity })

  /** Applies a page, and then the changes that happened while it was read. */
  const finish = (
    done: Reading,
    page: { isEnd: boolean; items: readonly PendingDelivery[] },
    isRetries: boolean,
  ) => {
    reading = undefined
    if (!done.isVoid) {
      for (const each of page.items) if (each.version > (done.ended.get(each.id) ?? -1)) hold(each, isRetries)
    }
    for (const each of done.retries) addRetry(each)
    for (const each of done.heads) add(each, true)
    if (done.from < Infinity) lookFrom(done.from)
  }

  const readHeads = async (): Promise<void> => {
    const own = begin()
    reading = own
    let page: HeadsPage | undefined
    try {
      page = await store.readHeads({ queue, after, limit: getSize() })
    } finally {
      if (page !== undefined && !own.isVoid) {
        after = page.after
        isEnd = page.isEnd
      }
      finish(own, { isEnd, items: page?.heads ?? [] }, false)
    }
  }

  const readRetries = async (): Promise<void> => {
    const own = begin()
    reading = own
    let page: RetriesPage | undefined
    try {
      page = await store.readRetries({ queue, limit: getSize() + busy })
    } finally {
      if (page !== undefined && !own.isVoid) {
        horizon = page.isEnd ? lastPlace : (page.retries.at(-1) ?? firstPlace)
        // Drops the retries after the new horizon.
        for (const each of [...known.values()]) {
          if (each.isRetry && !each.isBusy && isBefore(horizon, each)) drop(each)
        }
      }
      finish(own, { isEnd: true, items: page?.retries ?? [] }, true)
    }
  }

  const wantsHeads = (): boolean => !isEnd && heads <= getSize() / 2
  const wantsRetries = (): boolean => horizon !== lastPlace && retries <= getSize() / 2

  return {
    /** Returns the earliest due time of the deliveries that are held; `Infinity` if there are none. */
    nextAt: () => held.peek()?.dueAt ?? Infinity,
    /** Takes the delivery that is due first. It is remembered until `end` or `putBack`. */
    take: (): Entry | undefined => {
      const entry = held.peek()
      if (entry === undefined) return undefined
      held.remove(entry)
      if (entry.isRetry) retries--
      else heads--
      entry.isBusy = true
      busy++
      return entry
    },
    putBack: (entry: Entry): void => {
      busy--
      entry.isBusy = false
      known.set(entry.id, entry)
      held.put(entry)
      if (entry.isRetry) retries++
      else heads++
    },
    /** Ends an attempt. `retry` is the delivery if it is due again, and `next` the head that may follow it. */
    end: (entry: Entry, retry: PendingDelivery | null, next: PendingDelivery | null): void => {
      busy--
      known.delete(entry.id)
      reading?.ended.set(entry.id, entry.version)
      if (retry !== null) addRetry(retry)
      if (entry.newer !== null) hold(entry.newer, false)
      if (next !== null) add(next, true)
    },
    /** Adds a head that was reported. */
    add: (head: PendingDelivery) => add(head, heads < getSize()),
    lookFrom,
    /** Reads everything again. */
    restart: (): void => {
      for (const entry of [...known.values()]) if (!entry.isBusy) drop(entry)
      after = 0
      isEnd = false
      horizon = firstPlace
      if (reading !== undefined) reading.isVoid = true
    },
    /** Returns whether a page should be read and none is being read. */
    needsReading: () => reading === undefined && (wantsHeads() || wantsRetries()),
    read: () => (wantsHeads() ? readHeads() : readRetries()),
    /** Returns whether no delivery is held, taken, or left to read. */
    isEmpty: () => known.size === 0 && isEnd && horizon === lastPlace && reading === undefined,
  }
}
