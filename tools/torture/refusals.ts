import { setTimeout } from 'node:timers/promises'
import type { Load } from './load.ts'

const patienceMs = 20_000

/** Waits until more requests are refused with 503. Resolves to whether that happens in time. */
export const awaitRefusals = async (load: Load): Promise<boolean> => {
  const before = load.report().unavailable
  for (const end = Date.now() + patienceMs; load.report().unavailable < before + 3; await setTimeout(20)) {
    if (Date.now() > end) return false
  }
  return true
}
