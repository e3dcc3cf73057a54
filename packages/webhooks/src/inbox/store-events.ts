import { createBatch } from './batch.ts'
import type { InboxEngine } from './engine.ts'
import type { Entries } from './entries.ts'
import type { StoredEvent } from './identify.ts'
import type { Insert } from './insert-events.ts'

/**
 * Time that storing is retried while the database cannot be reached, in milliseconds. Senders wait for about 15
 * seconds.
 */
const patienceMs = 8_000

/** Age at which unclaimed entries cause a warning, in milliseconds. */
const idleMs = 60_000

/** Options for {@link createStoring}. */
type StoringOptions = {
  readonly engine: Pick<InboxEngine<unknown, unknown>, 'announcement' | 'isTransient' | 'query'>
  readonly entries: Pick<Entries, 'readWaiting'>
  readonly insert: Insert
  readonly worker: { isFree(): boolean; isStarted(): boolean; wake(): void }
  readonly table: string
}

/** Creates the function that stores an event durably. It resolves to whether the event is new, and rejects if it was not stored. */
export const createStoring = ({ engine, entries, insert, worker, table }: StoringOptions) => {
  let checkedAt = performance.now()

  /** Warns if no process handles the stored entries. */
  const checkWorkers = async (): Promise<void> => {
    if (worker.isStarted() || performance.now() - checkedAt < idleMs) return
    checkedAt = performance.now()
    const waiting = await entries.readWaiting(idleMs)
    if (waiting === 0) return
    console.warn(
      `${waiting} events have waited in ${table} for more than a minute. ` +
        'Call receiver.start() in a process that keeps running, or receiver.drain() regularly.',
    )
  }

  const storeBatch = async (events: readonly StoredEvent[]): Promise<readonly (boolean | Error)[]> => {
    // If this process has a free slot, its own worker is woken anyway.
    const announcement = worker.isFree() ? undefined : engine.announcement
    const endsAt = performance.now() + patienceMs
    for (;;) {
      try {
        return await insert(events, announcement)
      } catch (error) {
        if (engine.isTransient(error) && performance.now() < endsAt) {
          await new Promise((resolve) => setTimeout(resolve, 200))
          continue
        }
        const failure = error instanceof Error ? error : new Error(String(error))
        if (events.length === 1) return [failure]
        // Stores the events one by one, because only one of them may be the cause.
        const outcomes: (boolean | Error)[] = []
        for (const event of events) outcomes.push(...(await storeBatch([event])))
        return outcomes
      }
    }
  }

  // Events are identified concurrently, and stored in the order of their arrival.
  const store = createBatch(async (identified: readonly Promise<StoredEvent>[]) => {
    const events = await Promise.all(identified)
    // A statement cannot update a row that it inserts.
    const unique = new Map(events.map((event) => [event.key, event]))
    const outcomes = await storeBatch([...unique.values()])
    const results = new Map([...unique.keys()].map((key, index) => [key, outcomes[index]]))
    return events.map(({ key }) => {
      const outcome = results.get(key) ?? new Error('The event was not stored.')
      if (outcome === true) results.set(key, false)
      return outcome
    })
  })

  return async (event: Promise<StoredEvent>): Promise<boolean> => {
    const outcome = await store(event)
    if (outcome instanceof Error) throw outcome
    if (outcome) worker.wake()
    void checkWorkers().catch(() => {})
    return outcome
  }
}
