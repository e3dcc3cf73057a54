import { setTimeout as sleep } from 'node:timers/promises'

export const waitUntilNone = async (count: () => Promise<number>): Promise<void> => {
  while ((await count()) > 0) await sleep(2)
}
