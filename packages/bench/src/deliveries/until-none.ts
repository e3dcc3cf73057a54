import { setTimeout as sleep } from 'node:timers/promises'

/** Asks again and again how many are left, until there are none. */
export const untilNone = async (left: () => Promise<number>): Promise<void> => {
  while ((await left()) > 0) await sleep(2)
}
