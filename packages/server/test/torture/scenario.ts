import { setTimeout } from 'node:timers/promises'
import type { Engine } from './engine.ts'
import {
  createEnvironment,
  type Environment,
  type EnvironmentOptions,
  type EnvironmentResult,
} from './environment.ts'

/** The options of a scenario. */
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
  readonly result: EnvironmentResult
}

/** A way to make the life of servers hard, on an engine. */
export type Scenario<On extends Engine = Engine> = (options: ScenarioOptions<On>) => Promise<ScenarioResult>

/** Like a scenario, which may have no environment that is checked. */
export type Trial<On extends Engine = Engine> = (
  options: ScenarioOptions<On>,
) => Promise<Omit<ScenarioResult, 'result'> & Partial<ScenarioResult>>

/** The failures of a result: broken rules and unexpected responses. */
export const listFailures = ({ problems, examples, load }: EnvironmentResult): string[] => [
  ...Object.entries(problems).map(([rule, count]) => `${rule}: ${count}`),
  ...(Object.keys(problems).length > 0 ? examples.slice(0, 5) : []),
  ...Object.entries(load.wrong).map(([status, count]) => `${count} requests were answered ${status}`),
]

/** Something that an environment goes through a number of times; resolves with what was not as it should be. */
export type Ordeal<On extends Engine = Engine> = (
  environment: Environment,
  options: Pick<ScenarioOptions<On>, 'engine' | 'times' | 'isCalm' | 'progress'>,
) => Promise<readonly string[]>

/** Waits until some moment, soon in the short form. */
export const someMoment = (
  { random }: Pick<Environment, 'random'>,
  { isCalm }: { isCalm?: boolean },
): Promise<void> => setTimeout(random.between(20, isCalm ? 300 : 1_000))

/** Creates a scenario: an environment goes through an ordeal, and then everything is checked. */
export const createScenario =
  <On extends Engine>(
    ordeal: Ordeal<On>,
    {
      done,
      environment: special,
    }: { readonly done: string; readonly environment?: Partial<EnvironmentOptions> },
  ): Scenario<On> =>
  async (options) => {
    const { engine, seed, isCalm, times } = options
    await using environment = await createEnvironment({ engine, seed, isCalm, ...special })
    const failures = await ordeal(environment, options)
    const result = await environment.finish()
    return { done: `${times} ${done}`, failures: [...failures, ...listFailures(result)], result }
  }
