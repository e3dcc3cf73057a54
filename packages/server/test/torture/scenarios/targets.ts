import { setTimeout } from 'node:timers/promises'
import { friendly, gone, hostile } from '../behaviours.ts'
import { failuresOf, type Scenario } from '../scenario.ts'
import { createWorld, type World } from '../world.ts'

/** Enables what was disabled, and sends everything again that is not delivered. */
const sendAgain = async (world: World): Promise<void> => {
  for (const id of world.subscriptionIds) {
    await world.control('PATCH', `/organizations/torture/subscriptions/${id}`, { enabled: true })
  }
  const statuses = ['pending', 'skipped', 'exhausted']
  await world.control('POST', '/organizations/torture/deliveries/resend', { statuses })
}

/**
 * Endpoints that hang, drip, answer without end, send a bomb, redirect, break off, ask to wait for ever, and at last
 * are gone. Nothing of that stops the server, and all can be sent again when they are well.
 */
export const targets: Scenario = async ({ engine, seed, times, progress }) => {
  await using world = await createWorld({ engine, seed, width: 4 })
  world.recorder.behave(hostile(world.random))
  for (let second = 1; second <= times; second++) {
    await setTimeout(1_000)
    progress(`${second} of ${times} seconds among hostile endpoints`)
  }
  world.recorder.behave(gone)
  await setTimeout(1_000)
  await world.load.stop()
  // Attempts that hang are given up after 15 s.
  await setTimeout(16_000)
  world.recorder.behave(friendly)
  await sendAgain(world)
  const result = await world.finish()
  const failures = world.recorder.paths.has('/redirected') ? ['a redirect was followed'] : []
  return { done: `${times} s of hostile endpoints`, failures: [...failures, ...failuresOf(result)], result }
}
