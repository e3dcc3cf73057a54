import { setTimeout } from 'node:timers/promises'

/** Resolves to whether a condition became true within `patienceMs` milliseconds. */
export const comesTrue = async (isTrue: () => Promise<boolean>, patienceMs = 40_000): Promise<boolean> => {
  for (const end = Date.now() + patienceMs; Date.now() < end; await setTimeout(50)) {
    if (await isTrue()) return true
  }
  return false
}
