import { setTimeout } from 'node:timers/promises'
import type { Fleet } from './fleet.ts'

/**
 * Maximum time until a process has found the database again, in milliseconds: a statement that hangs, and a new
 * connection.
 */
const patienceMs = 20_000

/** Waits for every process to be ready without a restart, and lists those that are not. */
export const unready = async ({ members }: Fleet): Promise<string[]> => {
  const waiting = members.map(async (member) => {
    for (const end = Date.now() + patienceMs; Date.now() < end; await setTimeout(50)) {
      const answer = await fetch(`${member.url()}/readyz`).catch(() => undefined)
      if (answer?.ok) return []
      if (!member.isRunning()) return [`${member.name()} ended`]
    }
    return [`${member.name()} was not ready again within ${patienceMs} ms`]
  })
  return (await Promise.all(waiting)).flat()
}
