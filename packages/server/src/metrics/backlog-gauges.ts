import { setTimeout } from 'node:timers/promises'
import type { Backlog, Clock, Store } from '@wabakit/core'
import type { Registry } from 'prom-client'
import { Gauge } from './prometheus.ts'

/** Maximum time to wait for a reading, well below the scrape timeout of Prometheus (10 s). */
const timeoutMs = 3_000
/**
 * A reading is reused for 50 times its duration, within these limits, and a failed one for the minimum. So readings take at most 2%
 * of the time, unless they fail or take more than 1.2 seconds.
 */
const reuse = { factor: 50, minMs: 1_000, maxMs: 60_000 }

/**
 * Limits how often the backlog of a store is measured, and how long callers wait for it.
 *
 * @returns a function that returns the latest reading, or `undefined` when it failed or was not available in time.
 */
export const createBacklogReading = (
  measure: () => Promise<Backlog>,
): (() => Promise<Backlog | undefined>) => {
  let reading: Promise<Backlog | undefined> | undefined
  let validUntil = Infinity

  const read = async (): Promise<Backlog | undefined> => {
    const startedAt = performance.now()
    validUntil = Infinity
    const backlog = await measure().catch(() => undefined)
    const now = performance.now()
    const reusedMs = backlog === undefined ? reuse.minMs : reuse.factor * (now - startedAt)
    validUntil = now + Math.min(reuse.maxMs, Math.max(reuse.minMs, reusedMs))
    return backlog
  }

  return async () => {
    if (reading === undefined || performance.now() >= validUntil) reading = read()
    const finished = new AbortController()
    const timeout = setTimeout(timeoutMs, undefined, { signal: finished.signal, ref: false }).catch(
      () => undefined,
    )
    const backlog = await Promise.race([reading, timeout])
    finished.abort()
    return backlog
  }
}

/** The store whose backlog is measured, and the clock that its due times refer to. */
export type BacklogSource = { readonly store: Pick<Store, 'measureBacklog'>; readonly clock: Clock }

/** Maximum number of deliveries to count in each state. */
const countLimit = 100_000

/**
 * Creates metrics of the whole database, which are the same in every process that shares it.
 *
 * @returns a function that updates them. They are NaN if there is no reading.
 */
export const createBacklogGauges = (
  { store, clock }: BacklogSource,
  registers: Registry[],
): (() => Promise<void>) => {
  const age = new Gauge({
    name: 'wabakit_delivery_backlog_age_seconds',
    help: 'Time since the oldest due delivery became due. 0 if none is due.',
    registers,
  })
  const deliveries = new Gauge({
    name: 'wabakit_deliveries',
    help: `Unfinished deliveries in the database, by state: due (or being attempted), later or waiting. ${countLimit} means at least this many.`,
    labelNames: ['state'],
    registers,
  })
  const subscriptions = new Gauge({
    name: 'wabakit_subscriptions',
    help: 'Subscriptions in the database, by state: failing, behind or disabled.',
    labelNames: ['state'],
    registers,
  })
  const read = createBacklogReading(() => store.measureBacklog({ now: clock.now(), limit: countLimit }))

  return async () => {
    const backlog = await read()
    age.set((backlog?.oldestDueMs ?? Number.NaN) / 1_000)
    for (const state of ['due', 'later', 'waiting'] as const) {
      deliveries.set({ state }, backlog?.[state] ?? Number.NaN)
    }
    subscriptions.set({ state: 'failing' }, backlog?.failingSubscriptions ?? Number.NaN)
    subscriptions.set({ state: 'behind' }, backlog?.behindSubscriptions ?? Number.NaN)
    subscriptions.set({ state: 'disabled' }, backlog?.disabledSubscriptions ?? Number.NaN)
  }
}
