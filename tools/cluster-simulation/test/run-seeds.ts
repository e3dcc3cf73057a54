// Prints the trace hashes of some seeds. This is a separate process, because runs replace timers.

import { createHash } from 'node:crypto'
import { drawPlan } from '../src/draw-plan.ts'
import { runPlan } from '../src/run-plan.ts'

const [first = 1, count = 1] = process.argv.slice(2).map(Number)

const hashes: string[] = []
const violations: string[] = []
for (let seed = first; seed < first + count; seed++) {
  const { trace, traceHash, violation } = await runPlan(drawPlan(seed), { keepsTrace: true })
  const lines = createHash('sha256').update(trace.join('\n')).digest('hex')
  hashes.push(`${traceHash} ${lines}`)
  if (violation !== undefined) violations.push(`seed ${seed}: ${violation.invariant}: ${violation.what}`)
}
console.log(JSON.stringify({ hashes, violations }))
