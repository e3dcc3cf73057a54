import { comesTrue } from './comes-true.ts'
import type { Fleet } from './fleet.ts'

/**
 * Maximum time until a process reconnects to the database, in milliseconds: a hanging statement and a new connection.
 */
const patienceMs = 20_000

/** Waits until every process is ready without a restart. Lists those that are not. */
export const unready = async ({ members }: Fleet): Promise<string[]> => {
  const waiting = members.map(async (member) => {
    let isReady = false
    await comesTrue(async () => {
      const answer = await fetch(`${member.url()}/readyz`).catch(() => undefined)
      isReady = answer?.ok === true
      return isReady || !member.isRunning()
    }, patienceMs)
    if (isReady) return []
    return member.isRunning()
      ? `${member.name()} was not ready again within ${patienceMs} ms`
      : `${member.name()} ended`
  })
  return (await Promise.all(waiting)).flat()
}
