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
  /** Number of repetitions. */
  readonly times: number
  /** Set for the short form: endpoints accept every attempt, so that no delivery waits for a retry. */
  readonly isCalm?: boolean
  /** Called with the progress, in words. */
  readonly progress: (text: string) => void
}

/** The result of a scenario. */
export type ScenarioResult = {
  /** A summary of the work done, such as "200 kills". */
  readonly done: string
  /** The reasons for failure; empty if the scenario passed. */
  readonly failures: readonly string[]
  readonly result: EnvironmentResult
}

/** A test of servers under one kind of failure on an engine. */
export type Scenario<On extends Engine = Engine> = (options: ScenarioOptions<On>) => Promise<ScenarioResult>

/** Like a scenario, but possibly without an environment to check. */
export type Trial<On extends Engine = Engine> = (
  options: ScenarioOptions<On>,
) => Promise<Omit<ScenarioResult, 'result'> & Partial<ScenarioResult>>

/** Lists the failures in a result: broken rules and unexpected responses. */
export const listFailures = ({ problems, examples, load, silent }: EnvironmentResult): string[] => [
  ...silent,
  ...Object.entries(problems).map(([rule, count]) => `${rule}: ${count}`),
  ...(Object.keys(problems).length > 0 ? examples.slice(0, 5) : []),
  ...Object.entries(load.wrong).map(([status, count]) => `${count} requests got an unexpected ${status}`),
]

/**
 * Lists a failure if the figures lack more deliveries than killed processes may lose. Not for scenarios in
 * which the database fails, too.
 */
export const listUncounted = ({ uncounted, mayBeUncounted }: EnvironmentResult): string[] =>
  uncounted > mayBeUncounted ? [`the figures lack ${uncounted} deliveries, not ${mayBeUncounted}`] : []

/** Repeatedly exposes an environment to a kind of failure. Resolves to the problems it found. */
export type Ordeal<On extends Engine = Engine> = (
  environment: Environment,
  options: Pick<ScenarioOptions<On>, 'engine' | 'times' | 'isCalm' | 'progress'>,
) => Promise<readonly string[]>

/** Waits for a random time, which is short in the short form. */
export const someMoment = (
  { random }: Pick<Environment, 'random'>,
  { isCalm }: { isCalm?: boolean },
): Promise<void> => setTimeout(random.between(20, isCalm ? 300 : 1_000))

/** Creates a scenario, which runs an ordeal on an environment and then the checker. */
export const createScenario =
  <On extends Engine>(
    ordeal: Ordeal<On>,
    {
      done,
      environment: special,
      check = () => [],
    }: {
      readonly done: string
      readonly environment?: Partial<EnvironmentOptions>
      /** Lists further failures in the result. */
      readonly check?: (result: EnvironmentResult) => readonly string[]
    },
  ): Scenario<On> =>
  async (options) => {
    const { engine, seed, isCalm, times } = options
    await using environment = await createEnvironment({ engine, seed, isCalm, ...special })
    const failures = await ordeal(environment, options)
    const result = await environment.finish()
    return {
      done: `${times} ${done}`,
      failures: [...failures, ...listFailures(result), ...check(result)],
      result,
    }
  }
