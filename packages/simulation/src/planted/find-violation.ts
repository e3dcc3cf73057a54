// Runs one seed after the other until an invariant is broken, and prints which. Started in a copy with a planted bug.

import { drawPlan } from '../draw-plan.ts'
import { runPlan } from '../run-plan.ts'

const [first = 1, maximumCpuMs = Infinity] = process.argv.slice(2).map(Number)

const measureCpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

const search = async (): Promise<object | null> => {
  for (let seed = first; measureCpuMs() < maximumCpuMs; seed++) {
    const { violation } = await runPlan(drawPlan(seed))
    if (violation !== undefined) return { seed, runs: seed - first + 1, ...violation }
  }
  return null
}

console.log(JSON.stringify({ found: await search(), cpuMs: measureCpuMs() }))
// A planted bug may keep the process alive.
process.exit(0)
