import { setTimeout } from 'node:timers/promises'
import type { Engine } from './engine.ts'
import { createWorld, type World, type WorldOptions, type WorldResult } from './world.ts'

/** What a scenario is told. */
export type ScenarioOptions<On extends Engine> = {
  readonly engine: On
  readonly seed: number
  /** How often it does what it does. */
  readonly times: number
  /** The short form: endpoints answer every attempt, so that nothing waits for the next one. */
  readonly isCalm?: boolean
  /** Called with what was done so far, in words. */
  readonly progress: (text: string) => void
}

/** What came of a scenario. */
export type ScenarioResult = {
  /** What was done: "200 kills". */
  readonly done: string
  /** Why it failed, one reason each; empty when it passed. */
  readonly failures: readonly string[]
  readonly result: WorldResult
}

/** A way to make the life of servers hard, on an engine. */
export type Scenario<On extends Engine = Engine> = (options: ScenarioOptions<On>) => Promise<ScenarioResult>

/** The reasons that a result gives to fail: a broken rule, or an answer that nobody should get. */
export const failuresOf = ({ problems, examples, load }: WorldResult): string[] => [
  ...Object.entries(problems).map(([rule, count]) => `${rule}: ${count}`),
  ...(Object.keys(problems).length > 0 ? examples.slice(0, 5) : []),
  ...Object.entries(load.wrong).map(([status, count]) => `${count} requests were answered ${status}`),
]

/** Something that a world goes through a number of times; resolves with what was not as it should be. */
export type Ordeal<On extends Engine = Engine> = (
  world: World,
  options: Pick<ScenarioOptions<On>, 'engine' | 'times' | 'isCalm' | 'progress'>,
) => Promise<readonly string[]>

/** Waits until some moment, soon in the short form. */
export const someMoment = (
  { random }: Pick<World, 'random'>,
  { isCalm }: { isCalm?: boolean },
): Promise<void> => setTimeout(random.between(20, isCalm ? 300 : 1_000))

/** Makes a scenario of an ordeal: a world goes through it, and then everything is checked. */
export const scenarioOf =
  <On extends Engine>(
    ordeal: Ordeal<On>,
    { done, world: special }: { readonly done: string; readonly world?: Partial<WorldOptions> },
  ): Scenario<On> =>
  async (options) => {
    const { engine, seed, isCalm, times } = options
    await using world = await createWorld({ engine, seed, isCalm, ...special })
    const failures = await ordeal(world, options)
    const result = await world.finish()
    return { done: `${times} ${done}`, failures: [...failures, ...failuresOf(result)], result }
  }
