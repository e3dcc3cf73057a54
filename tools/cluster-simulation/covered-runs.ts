import { expect, test } from 'vitest'
import { drawPlan } from './src/draw-plan.ts'
import type { Plan } from './src/plan.ts'
import { runPlan } from './src/run-plan.ts'

const plans: Plan[] = []
for (let seed = 1; plans.length < 40; seed++) {
  const plan = drawPlan(seed)
  if (plan.engine === 'postgres') plans.push(plan)
}

test('runs on the PostgreSQL store break no invariant', async () => {
  for (const plan of plans) expect((await runPlan(plan)).violation, `seed ${plan.seed}`).toBeUndefined()
})
