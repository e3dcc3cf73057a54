// Runs seeds on each engine, and prints the histories of their stores. This is a separate process, because runs replace
// timers.

import { drawPlan } from '../src/draw-plan.ts'
import type { HistoryEntry } from '../src/histories/history.ts'
import type { Plan } from '../src/plan.ts'
import { runPlan } from '../src/run-plan.ts'

const [, , count = '1'] = process.argv

/** Sorts the entries of a task. Commits come before their consequences, which may have been reported first. */
const rank = ({ method }: HistoryEntry): number => {
  if (method === 'process ended') return 2
  return method === 'loadDeliveries' || method === 'nextDueAt' ? 1 : 0
}

const histories = { memory: [] as object[], sqlite: [] as object[] }
for (let seed = 1; Object.values(histories).some(({ length }) => length < Number(count)); seed++) {
  const drawn = drawPlan(seed)
  const hasPruning = drawn.operations.some((operation) => operation.do === 'prune')
  if (drawn.engine === 'postgres' || hasPruning || drawn.calmAt > 20_000) continue
  if (histories[drawn.engine].length === Number(count)) continue
  // On SQLite, a process that dies during a commit does not report the commit.
  const plan: Plan = { ...drawn, rates: drawn.engine === 'sqlite' ? null : drawn.rates }
  const recorded: { readonly entry: HistoryEntry; readonly step: number }[] = []
  await runPlan(plan, { record: (entry, step) => recorded.push({ entry, step }) })
  const history = recorded
    .toSorted((left, right) => left.step - right.step || rank(left.entry) - rank(right.entry))
    .map(({ entry }) => entry)
    .slice(0, 200)
  if (history.length > 20) histories[drawn.engine].push({ plan, history })
}
console.log(JSON.stringify(histories))
