import { expect, test } from 'vitest'
import { simulateKills } from './simulated-kills.ts'

test('a receiver that is killed before and after every statement has each effect exactly once', async () => {
  const { steps } = await simulateKills({ kills: 0, seed: 1 })
  const { lives } = await simulateKills({ kills: 2 * steps, seed: 1 })
  expect(lives).toBeGreaterThanOrEqual(2 * steps)
})
