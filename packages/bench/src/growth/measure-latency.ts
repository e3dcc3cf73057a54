import { setTimeout as sleep } from 'node:timers/promises'
import type { Child } from '../commands.ts'

const longestMs = 20_000

/** Publishes events for healthy endpoints, and returns the p99 of the times until they arrive, in microseconds. */
export const measureLatency = async (
  { server, arrivals }: { readonly server: Child; readonly arrivals: Child },
  events: number,
): Promise<number> => {
  await arrivals.command('reset')
  await server.command('run', events)
  const deadline = Date.now() + longestMs
  while ((await arrivals.command('count')) < events && Date.now() < deadline) await sleep(20)
  const missing = events - (await arrivals.command('count'))
  return missing > events / 100 ? longestMs * 1_000 : (await arrivals.command('quantile', 99)) * 1_000
}
