import type { Backlog, Store } from '@wabakit/core'
import { Gauge, type Registry } from 'prom-client'
import { createBacklogReading } from './backlog-reading.ts'

/** Figures of the whole database, which are the same in every process that shares it. */
export type BacklogGauges = {
  /** Brings them up to date; where the store does not answer they become NaN. */
  refresh(): Promise<void>
}

/** Where counting stops. */
const countLimit = 100_000

/** Makes the gauges of what a store has under way. */
export const createBacklogGauges = (
  store: Pick<Store, 'measureBacklog'>,
  registers: Registry[],
): BacklogGauges => {
  const age = new Gauge({
    name: 'wabakit_delivery_backlog_age_seconds',
    help: 'How long the delivery that is due the longest has been due, by the clock of the database; 0 when nothing is due.',
    registers,
  })
  const deliveries = new Gauge({
    name: 'wabakit_deliveries',
    help: `Unsettled deliveries of the whole database by state: due, claimed (being attempted), later (to be tried again), waiting (behind another of their call or group). ${countLimit} stands for that many or more.`,
    labelNames: ['state'],
    registers,
  })
  const subscriptions = new Gauge({
    name: 'wabakit_subscriptions',
    help: 'Subscriptions of the whole database by state: failing (enabled, and the last attempt failed), disabled.',
    labelNames: ['state'],
    registers,
  })
  const read = createBacklogReading(() => store.measureBacklog({ now: Date.now(), limit: countLimit }))

  const show = (backlog: Backlog | undefined): void => {
    age.set((backlog?.oldestDueMs ?? Number.NaN) / 1_000)
    for (const state of ['due', 'claimed', 'later', 'waiting'] as const) {
      deliveries.set({ state }, backlog?.[state] ?? Number.NaN)
    }
    subscriptions.set({ state: 'failing' }, backlog?.failingSubscriptions ?? Number.NaN)
    subscriptions.set({ state: 'disabled' }, backlog?.disabledSubscriptions ?? Number.NaN)
  }
  return { refresh: async () => show(await read()) }
}
