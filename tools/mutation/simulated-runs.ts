// Runs of the simulator as tests of this process, so that they test mutants, too. `npm test` runs the
// simulator in separate processes, because it replaces the timers.

import { globSync, readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import timers from 'node:timers'
import timersPromises from 'node:timers/promises'
import { expect, test } from 'vitest'
import { prefetchLimits } from '../../packages/core/src/delivery/queues.ts'
import { healthLimits } from '../../packages/core/src/storage/decide-health.ts'
import { drawPlan } from '../cluster-simulation/src/draw-plan.ts'
import type { Plan } from '../cluster-simulation/src/plan.ts'
import { runPlan } from '../cluster-simulation/src/run-plan.ts'

const names = [
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
] as const
type Timers = { readonly all: Partial<typeof timers>; readonly sleep: typeof timersPromises.setTimeout }

const read = (): Timers => ({
  all: Object.fromEntries(names.map((name) => [name, timers[name]])),
  sleep: timersPromises.setTimeout,
})
const use = ({ all, sleep }: Timers): void => {
  Object.assign(globalThis, all)
  Object.assign(timers, all)
  Object.assign(timersPromises, { setTimeout: sleep })
  syncBuiltinESMExports()
}

/** The simulator's timers. It installs them once, in its first run. */
let virtual: Timers | undefined

/** Runs a plan, and restores everything that a run replaces. */
const run = async (plan: Plan) => {
  const real = read()
  const limits = { perQueue: prefetchLimits.perQueue, reportAfterMs: healthLimits.reportAfterMs }
  if (virtual !== undefined) use(virtual)
  try {
    return (await runPlan(plan)).violation
  } finally {
    virtual ??= read()
    use(real)
    prefetchLimits.perQueue = limits.perQueue
    healthLimits.reportAfterMs = limits.reportAfterMs
  }
}

const cases = globSync('tools/cluster-simulation/cases/*.json').sort()
test.each(cases.map((path) => [basename(path, '.json'), path]))('the case %s', async (_, path) => {
  const { plan }: { plan: Plan } = JSON.parse(readFileSync(path, 'utf8'))
  if (plan.engine !== 'postgres') expect(await run(plan)).toBeUndefined()
})

const seeds = Array.from({ length: 60 }, (_, index) => 1_000 + index)
test.each(seeds)('seed %i', async (seed) => {
  const plan = drawPlan(seed)
  if (plan.engine !== 'postgres') expect(await run(plan)).toBeUndefined()
})
