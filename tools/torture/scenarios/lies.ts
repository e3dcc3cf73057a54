import { setTimeout } from 'node:timers/promises'
import { createEnvironment } from '../environment.ts'
import type { Scenario } from '../scenario.ts'

/** A store that drops one in several commits and acknowledges it. The checker must detect that. */
export const lies: Scenario = async ({ engine, seed, isCalm, times, progress }) => {
  await using environment = await createEnvironment({
    engine,
    roles: ['all'],
    seed,
    isCalm,
    preload: engine.dropCommits,
    environment: { WABAKIT_DROP_EVERY: String(times) },
  })
  // A dropped commit may not contain a change, so the load continues until several are dropped.
  for (let dropped = 0; dropped < 5; progress(`${dropped} commits dropped`)) {
    await setTimeout(100)
    dropped = await environment.fleet.pick().ask('dropped')
  }
  const result = await environment.finish({ drain: false })
  const lost = Object.keys(result.problems).filter((rule) => rule.startsWith('lost '))
  const failures = lost.length > 0 ? [] : ['the checker did not detect the dropped commits']
  return { done: `1 commit in ${times} dropped`, failures, result }
}
