import { expect, onTestFinished, test } from 'vitest'
import { prefetchLimits } from '../../../packages/core/src/delivery/queues.ts'
import { drawPlan } from '../src/draw-plan.ts'
import { runSeeds, slowMachine } from './start-seeds.ts'

/** A slow machine with another time zone, another language, another JavaScript compiler and earlier garbage collection. */
const elsewhere = {
  flags: [...slowMachine, '--no-opt', '--max-semi-space-size=1'],
  env: { TZ: 'Asia/Kathmandu', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' },
}

test('a seed has the same trace in every process and on every machine, regardless of earlier runs', async () => {
  const [all, last] = await Promise.all([runSeeds([1, 20]), runSeeds([13, 8], elsewhere)])
  expect(all.violations).toEqual([])
  expect(new Set(all.hashes).size).toBe(20)
  expect(last.hashes).toEqual(all.hashes.slice(-8))
})

test('a plan depends only on its seed, and not on the prefetch size of an earlier run', () => {
  const { perQueue } = prefetchLimits
  onTestFinished(() => {
    prefetchLimits.perQueue = perQueue
  })
  const seeds = Array.from({ length: 30 }, (_, index) => index + 1)
  const plans = seeds.map(drawPlan)
  prefetchLimits.perQueue = 2
  expect(seeds.map(drawPlan)).toEqual(plans)
})
