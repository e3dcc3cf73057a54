import type { Backlog, Clock, Store } from '@wabakit/core'
import type { Registry } from 'prom-client'
import { createBacklogReading } from './backlog-reading.ts'
import { Gauge } from './prometheus.ts'

/** Metrics of the whole database, which are the same in every process that shares it. */
export type BacklogGauges = {
  /** Updates the metrics. They become NaN when the store does not respond. */
  refresh(): Promise<void>
}

/** The store whose backlog is measured, and the clock of its due times. */
export type BacklogSource = { readonly store: Pick<Store, 'measureBacklog'>; readonly clock: Clock }

/** The number at which counting stops. */
const countLimit = 100_000

export const createBacklogGauges = (
  { store, clock }: BacklogSource,
  registers: Registry[],
): BacklogGauges => {
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
    help: 'Subscriptions in the database, by state: failing or disabled.',
    labelNames: ['state'],
    registers,
  })
  const read = createBacklogReading(() => store.measureBacklog({ now: clock.now(), limit: countLimit }))

  const update = (backlog: Backlog | undefined): void => {
    age.set((backlog?.oldestDueMs ?? Number.NaN) / 1_000)
    for (const state of ['due', 'later', 'waiting'] as const) {
      deliveries.set({ state }, backlog?.[state] ?? Number.NaN)
    }
    subscriptions.set({ state: 'failing' }, backlog?.failingSubscriptions ?? Number.NaN)
    subscriptions.set({ state: 'disabled' }, backlog?.disabledSubscriptions ?? Number.NaN)
  }
  return { refresh: async () => update(await read()) }
}
