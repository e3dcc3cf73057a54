import { parentPort } from 'node:worker_threads'
import { drawPlan } from './draw-plan.ts'
import { createSummary, type SeedRange, type Summary } from './explore.ts'
import { isCallFault, type Plan } from './plan.ts'
import { type RunResult, runPlan } from './run-plan.ts'

const count = (counts: Record<string, number>, name: string): void => {
  counts[name] = (counts[name] ?? 0) + 1
}

/** Returns the boundary at which a call fails, from its name, such as `server-1 settleDeliveries #3`. */
const getBoundary = (call: string): string => {
  if (call.startsWith('endpoint')) return 'endpoint'
  if (call.includes(' to ')) return 'network'
  return call.includes(' transaction ') ? 'transaction' : 'store'
}

const addRun = (summary: Summary, plan: Plan, result: RunResult): void => {
  summary.runs++
  summary.steps += result.steps
  summary.virtualMs += result.virtualMs
  summary.deliveries += result.deliveries
  count(summary.engines, plan.engine)
  for (const fault of plan.faults) {
    if (isCallFault(fault)) continue
    count(summary.faults, fault.fault === 'endpoint' ? `endpoint: ${fault.behavior}` : fault.fault)
  }
  for (const { on, fault } of result.callFaults) {
    count(summary.faults, `${getBoundary(on)}: ${fault}`)
  }
  if (result.violation !== undefined) {
    summary.violations.push({ seed: plan.seed, violation: result.violation })
  }
}

parentPort?.on('message', async ({ first, count: size }: SeedRange) => {
  const summary = createSummary()
  for (let seed = first; seed < first + size; seed++) {
    const plan = drawPlan(seed)
    addRun(summary, plan, await runPlan(plan))
  }
  parentPort?.postMessage(summary)
})
