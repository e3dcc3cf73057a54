// Runs one seed after the other until an invariant is broken, and prints which. Started in a copy with a planted bug, and
// then in the original with the one seed, which must not break anything there.

import { drawPlan } from '../draw-plan.ts'
import { runPlan } from '../run-plan.ts'
import { countEntries, shrinkPlan } from '../shrink.ts'

const [first = 1, count = Infinity, maximumCpuMs = Infinity] = process.argv.slice(2).map(Number)

const measureCpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

const search = async (): Promise<object | null> => {
  for (let seed = first; seed < first + count && measureCpuMs() < maximumCpuMs; seed++) {
    const { violation } = await runPlan(drawPlan(seed))
    if (violation === undefined) continue
    const cpuMs = measureCpuMs()
    const { plan } = await shrinkPlan(drawPlan(seed), { violation })
    return { cpuMs, seed, entries: countEntries(plan), ...violation }
  }
  return null
}

console.log(JSON.stringify(await search()))
// A planted bug may keep the process alive.
process.exit(0)
