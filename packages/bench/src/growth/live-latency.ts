import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '@wabakit/core'
import { nextEvent } from './operations.ts'

/** How long those who tell events wait, in milliseconds. */
export type Latency = { readonly p50: number; readonly p99: number; readonly most: number }

const perSecond = 100

/** Tells 100 events a second for so many seconds, in time even while others are late. */
export const measureLatency = async (store: Store, seconds: number): Promise<Latency> => {
  const start = performance.now()
  const waits: number[] = []
  const telling: Promise<void>[] = []
  for (let index = 0; index < seconds * perSecond; index++) {
    const due = start + (index * 1_000) / perSecond
    await sleep(Math.max(0, due - performance.now()))
    telling.push(store.addEvent(nextEvent()).then(() => void waits.push(performance.now() - due)))
  }
  await Promise.all(telling)
  waits.sort((left, right) => left - right)
  const at = (share: number): number =>
    Number((waits[Math.floor((waits.length - 1) * share)] ?? Number.NaN).toFixed(2))
  return { p50: at(0.5), p99: at(0.99), most: at(1) }
}
