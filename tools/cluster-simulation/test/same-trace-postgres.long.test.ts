import { expect, test } from 'vitest'
import { drawPlan } from '../src/draw-plan.ts'
import { runSeeds, slowMachine } from './start-seeds.ts'

// Optimizing the code of PGlite would take longer than what runs it.
const liftoff = '--liftoff-only'

test('a seed on PGlite has the same trace in every process, on a slow machine, and regardless of earlier runs', async () => {
  // The first and last seeds run on PGlite.
  expect([6_050, 6_052].map((seed) => drawPlan(seed).engine)).toEqual(['postgres', 'postgres'])
  const [all, last] = await Promise.all([
    runSeeds([6_050, 3], { flags: [liftoff] }),
    runSeeds([6_052, 1], { flags: [liftoff, ...slowMachine] }),
  ])
  expect(all.violations).toEqual([])
  expect(last.hashes).toEqual(all.hashes.slice(-1))
})
