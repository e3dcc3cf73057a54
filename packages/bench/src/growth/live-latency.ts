import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '@wabakit/core'
import { createEvent } from './store-operations.ts'

/** Latency of publishing an event, in milliseconds. */
export type Latency = { readonly p50: number; readonly p99: number; readonly maximum: number }

const perSecond = 100

/** Publishes 100 events per second, whether or not earlier ones are complete, and measures their latency. */
export const measureLatency = async (store: Store, seconds: number): Promise<Latency> => {
  const start = performance.now()
  const latencies: number[] = []
  const publishing: Promise<void>[] = []
  for (let index = 0; index < seconds * perSecond; index++) {
    const due = start + (index * 1_000) / perSecond
    await sleep(Math.max(0, due - performance.now()))
    publishing.push(store.addEvent(createEvent()).then(() => void latencies.push(performance.now() - due)))
  }
  await Promise.all(publishing)
  latencies.sort((left, right) => left - right)
  const readQuantile = (share: number): number =>
    Number((latencies[Math.floor((latencies.length - 1) * share)] ?? Number.NaN).toFixed(2))
  return { p50: readQuantile(0.5), p99: readQuantile(0.99), maximum: readQuantile(1) }
}
