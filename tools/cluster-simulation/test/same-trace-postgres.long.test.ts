import { expect, test } from 'vitest'
import { drawPlan } from '../src/draw-plan.ts'
import { runSeeds, slowMachine } from './start-seeds.ts'

test('a seed on PGlite has the same trace in every process, on a slow machine, and regardless of earlier runs', async () => {
  // The last seed runs on PGlite. The earlier one does not, because a run on PGlite takes eight seconds of a processor.
  expect(drawPlan(6_052).engine).toBe('postgres')
  const [all, last] = await Promise.all([runSeeds([6_051, 2]), runSeeds([6_052, 1], { flags: slowMachine })])
  expect(all.violations).toEqual([])
  expect(last.hashes).toEqual(all.hashes.slice(-1))
}, 300_000)
