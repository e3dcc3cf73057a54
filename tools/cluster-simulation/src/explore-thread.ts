import { parentPort } from 'node:worker_threads'
import { drawPlan } from './draw-plan.ts'
import type { SeedRange, SeedRun } from './explore.ts'
import { isCallFault } from './plan.ts'
import { runPlan } from './run-plan.ts'

/** Derives the boundary at which a call fails from its name, such as `server-1 settleDeliveries #3`. */
const getBoundary = (call: string): string => {
  if (call.startsWith('endpoint')) return 'endpoint'
  if (call.includes(' to ')) return 'network'
  return call.includes(' transaction ') ? 'transaction' : 'store'
}

const runSeed = async (seed: number): Promise<SeedRun> => {
  const plan = drawPlan(seed)
  const { steps, virtualMs, deliveries, violation, callFaults } = await runPlan(plan)
  const timed = plan.faults.filter((fault) => !isCallFault(fault))
  const faults = [
    ...timed.map((each) => (each.fault === 'endpoint' ? `endpoint: ${each.behavior}` : each.fault)),
    ...callFaults.map(({ on, fault }) => `${getBoundary(on)}: ${fault}`),
  ]
  return { seed, engine: plan.engine, steps, virtualMs, deliveries, violation, faults }
}

parentPort?.on('message', async ({ first, count }: SeedRange) => {
  const runs: SeedRun[] = []
  for (let seed = first; seed < first + count; seed++) runs.push(await runSeed(seed))
  parentPort?.postMessage(runs)
})
