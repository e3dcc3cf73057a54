import { setTimeout as sleep } from 'node:timers/promises'
import type { Scenario } from './open-scenario.ts'

const longestMs = 20_000

/** Publishes events for healthy endpoints, and returns the p99 of their arrival latencies, in microseconds. */
export const measureLatency = async (
  { server, endpoints }: Pick<Scenario, 'server' | 'endpoints'>,
  events: number,
): Promise<number> => {
  await endpoints.command('reset')
  await server.command('run', events)
  const deadline = Date.now() + longestMs
  while ((await endpoints.command('count')) < events && Date.now() < deadline) await sleep(20)
  const missing = events - (await endpoints.command('count'))
  return missing > events / 100 ? longestMs * 1_000 : (await endpoints.command('quantile', 99)) * 1_000
}
