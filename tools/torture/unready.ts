import { setTimeout } from 'node:timers/promises'
import type { Fleet } from './fleet.ts'

/**
 * Maximum time until a process reconnects to the database, in milliseconds: a hanging statement and a new connection.
 */
const patienceMs = 20_000

/** Waits until every process is ready without a restart. Lists those that are not. */
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
