import { setTimeout } from 'node:timers/promises'
import { comesTrue } from '../comes-true.ts'
import type { Environment } from '../environment.ts'
import type { Member } from '../fleet.ts'
import { createScenario, listUncounted, type Ordeal, someMoment } from '../scenario.ts'

/** Maximum time until a started process has work, in milliseconds. */
const patienceMs = 120_000

/**
 * Starts a process and waits until it has work, so that its next kill interrupts some. A worker has work when it owns
 * shards; any other process, when it has acknowledged a change. Returns the problems.
 */
const startWorking = async (
  { load, database }: Pick<Environment, 'load' | 'database'>,
  member: Member,
): Promise<string[]> => {
  await member.start()
  const { acknowledged } = load.report()
  const hasWork = async (): Promise<boolean> =>
    member.role === 'worker'
      ? (await database.countShards(member.name())) > 0
      : load.report().acknowledged > acknowledged
  return (await comesTrue(hasWork, patienceMs))
    ? []
    : [`${member.name()} had no work within ${patienceMs} ms`]
}

/**
 * Kills any process with SIGKILL at random times, sometimes before it is ready again, and sometimes another one while
 * it is down. Its shards are taken over long before its lease ends.
 */
export const kill: Ordeal = async (environment, options) => {
  const { random, fleet } = environment
  const { times, progress } = options
  const failures: string[] = []
  let killed = 0
  while (killed < times) {
    await someMoment(environment, options)
    const member = fleet.pick()
    await member.end('SIGKILL')
    killed++
    if (random.happens(0.15) && killed < times) {
      const early = member.start()
      early.catch(() => {})
      await setTimeout(random.between(20, 400))
      await member.end('SIGKILL')
      killed++
    }
    const other = fleet.pick()
    if (other !== member && random.happens(0.2) && killed < times) {
      await other.end('SIGKILL')
      killed++
      failures.push(...(await startWorking(environment, other)))
    }
    failures.push(...(await startWorking(environment, member)))
    progress(`${killed} of ${times} kills`)
  }
  return failures
}

export const kills = createScenario(kill, { done: 'kills', check: listUncounted })
