import type { HealthEvent } from '@wabakit/contract'
import type { AttemptReported } from '../delivery/sending.ts'
import { StorageUnavailableError } from '../errors/storage-errors.ts'
import type { FigureRecord } from '../records.ts'
import type { ServerContext } from '../server-context.ts'
import type { UnfinishedMeasure } from '../store.ts'
import { checkNumbers } from '../values/check-numbers.ts'
import { startBackgroundTimer } from '../values/clock.ts'
import { addCounts, type Counts, countAttempt, type GrowingCounts, increase } from './counts.ts'
import { findPeriod, shortestSpanMs } from './roll-up.ts'

/** Counts of events and attempts over time. */
export type Figures = {
  /**
   * Starts counting the events that this process publishes, simulated ones included, but not events about subscription
   * health; the attempts that it settles, the secrets that it rotates and the subscriptions that it disables. Writes
   * the counts every ten seconds, at most one record for each subscription and organization. If the store is
   * unavailable, keeps them for the next write. A crash loses what has not been written. Does not keep the process
   * alive.
   */
  start(): void
  /** Writes what was counted so far, at the current time. Call it before a virtual clock moves. */
  write(): Promise<void>
  /** Stops counting, and writes the last counts. */
  stop(): Promise<void>
  /**
   * Lists the records of an organization from a given time on, in no particular order. Their spans differ, but no two
   * records of one subscription cover the same period.
   */
  list(organizationId: string, query: FigureQuery): Promise<FigureRecord[]>
  /** Measures the unfinished deliveries of subscriptions. */
  measureUnfinished(organizationId: string, query: UnfinishedQuery): Promise<UnfinishedMeasure[]>
}

type FigureQuery = {
  /** The subscriptions whose records to list; `''` stands for the organization as a whole. */
  readonly subscriptionIds: readonly string[]
  /** Only records of periods that start at this time or later, as Unix time in milliseconds. */
  readonly from: number
}

type UnfinishedQuery = { readonly subscriptionIds: readonly string[]; readonly limit: number }

type FiguresContext = Pick<ServerContext, 'store' | 'clock' | 'log'> & {
  onAttempt(listener: (report: AttemptReported) => void): () => void
  onHealth(listener: (event: HealthEvent) => void): () => void
  readonly onError: (error: unknown) => void
}

/** Counts by organization and subscription. The key `''` has the counts of the organization's events. */
type Counted = Map<string, Map<string, GrowingCounts>>

/** Number of writes between two roll-ups, which thus run about once a minute. */
const writesPerRollUp = 6

const findCounts = (counted: Counted, organizationId: string, subscriptionId: string): GrowingCounts => {
  const ofOrganization = counted.get(organizationId) ?? new Map<string, GrowingCounts>()
  const counts = ofOrganization.get(subscriptionId) ?? {}
  counted.set(organizationId, ofOrganization.set(subscriptionId, counts))
  return counts
}

const sum = (all: Iterable<Counts>): Counts => {
  const total: GrowingCounts = {}
  for (const counts of all) addCounts(total, counts)
  return total
}

/** Returns a record for each subscription, and one for each organization with the sum of its counts. */
const toRecords = (counted: Counted, now: number): FigureRecord[] => {
  const period = { at: findPeriod(now, shortestSpanMs), span: shortestSpanMs }
  return [...counted].flatMap(([organizationId, ofOrganization]) => [
    { organizationId, subscriptionId: '', ...period, counts: sum(ofOrganization.values()) },
    ...[...ofOrganization]
      .filter(([subscriptionId]) => subscriptionId !== '')
      .map(([subscriptionId, counts]) => ({ organizationId, subscriptionId, ...period, counts })),
  ])
}

export const createFigures = (context: FiguresContext): Figures => {
  const { store, clock, log, onAttempt, onHealth, onError } = context
  let counted: Counted = new Map()
  let writes = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let writing: Promise<void> = Promise.resolve()
  let unsubscribe: (() => void) | undefined

  /** Puts back counts that were not written. */
  const restore = (taken: Counted): void => {
    for (const [organizationId, ofOrganization] of taken) {
      for (const [subscriptionId, counts] of ofOrganization) {
        addCounts(findCounts(counted, organizationId, subscriptionId), counts)
      }
    }
  }

  const write = async (): Promise<void> => {
    const taken = counted
    if (taken.size === 0) return
    counted = new Map()
    try {
      await store.addFigures(toRecords(taken, clock.now()))
    } catch (error) {
      // Restores the counts only if the store was unavailable. After any other error they may have been written, and
      // restoring them would count them twice.
      if (error instanceof StorageUnavailableError) restore(taken)
      else throw error
    }
  }

  const rollUp = async (): Promise<void> => {
    writes = 0
    while (timer !== undefined && (await store.rollUpFigures({ now: clock.now(), limit: 500 })) > 0);
  }

  const work = async (): Promise<void> => {
    await write()
    writes += 1
    if (writes >= writesPerRollUp) await rollUp()
  }

  const schedule = (): void => {
    timer = startBackgroundTimer(() => {
      writing = work()
        .catch((error: unknown) => {
          // The dispatcher fails because of the same outage, and reports it once.
          if (!(error instanceof StorageUnavailableError)) onError(error)
        })
        .then(() => {
          if (timer !== undefined) schedule()
        })
    }, shortestSpanMs)
  }

  return {
    start: () => {
      if (timer !== undefined) return
      const stopAttempts = onAttempt(({ attempted: { subscription }, result, settlement }) => {
        if (settlement.outcome !== 'settled' || result.kind === 'released') return
        countAttempt(findCounts(counted, subscription.organizationId, subscription.id), result)
      })
      const stopEvents = log.onCount(({ organizationId, subscriptionId, name }) =>
        increase(findCounts(counted, organizationId, subscriptionId), name),
      )
      const stopHealth = onHealth(({ type, data: { organizationId, subscriptionId } }) => {
        if (type === 'subscription.disabled')
          increase(findCounts(counted, organizationId, subscriptionId), 'disabled')
      })
      unsubscribe = () => {
        stopAttempts()
        stopEvents()
        stopHealth()
      }
      schedule()
    },
    write,
    stop: async () => {
      if (timer === undefined) return
      clearTimeout(timer)
      timer = undefined
      unsubscribe?.()
      await writing
      await write().catch(onError)
    },
    list: async (organizationId, query) => {
      checkNumbers(query)
      return store.listFigures({ organizationId, ...query })
    },
    measureUnfinished: async (organizationId, query) => {
      checkNumbers(query)
      return store.measureUnfinished({ organizationId, ...query })
    },
  }
}
