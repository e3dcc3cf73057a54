import { describe, expect, it } from 'vitest'
import { simulateKills } from './simulated-kills.ts'

describe('a receiver that is killed before and after statements, with a sender that never retries', () => {
  it('has each effect of an acknowledged event exactly once, and fetches missing summaries', async () => {
    const { kills, steps } = await simulateKills({ kills: 50, seed: 1 })
    expect(steps).toBeGreaterThan(30)
    expect(kills).toBeGreaterThanOrEqual(50)
  })

  it('repeats effects that are not written with the completion', async () => {
    await expect(simulateKills({ kills: 300, seed: 1, outside: true })).rejects.toThrow('"doubled":["')
  })
})
