import { setTimeout } from 'node:timers/promises'
import type { Engine } from './engine.ts'
import {
  startTestService,
  type TestResult,
  type TestService,
  type TestServiceOptions,
} from './test-service.ts'

export type ScenarioOptions<On extends Engine> = {
  readonly engine: On
  readonly seed: number
  /** The number of repetitions. */
  readonly times: number
  /** The short form: endpoints accept every attempt, so that nothing waits for a retry. */
  readonly isCalm?: boolean
  /** Called with a description of the progress. */
  readonly progress: (text: string) => void
}

export type ScenarioResult = {
  /** What was done, such as `200 kills`. */
  readonly done: string
  /** The reasons for failing; empty if the scenario passed. */
  readonly failures: readonly string[]
  readonly result: TestResult
}

export type Scenario<On extends Engine = Engine> = (options: ScenarioOptions<On>) => Promise<ScenarioResult>

/** Lists broken rules and unexpected responses. */
export const listFailures = ({ problems, examples, load }: TestResult): string[] => [
  ...Object.entries(problems).map(([rule, count]) => `${rule}: ${count}`),
  ...(Object.keys(problems).length > 0 ? examples.slice(0, 5) : []),
  ...Object.entries(load.wrong).map(([status, count]) => `${count} requests got the status ${status}`),
]

/** Disrupts a service a number of times. Resolves with the failures. */
export type Disruption<On extends Engine = Engine> = (
  service: TestService,
  options: Pick<ScenarioOptions<On>, 'engine' | 'times' | 'isCalm' | 'progress'>,
) => Promise<readonly string[]>

/** Waits for a random time, which is shorter in the short form. */
export const someMoment = (
  { random }: Pick<TestService, 'random'>,
  { isCalm }: { isCalm?: boolean },
): Promise<void> => setTimeout(random.between(20, isCalm ? 300 : 1_000))

/** Creates a scenario that disrupts a service, and then checks everything. */
/** Creates a scenario that disrupts a service, and then checks everything. */
export const createScenario =
  <On extends Engine>(
    disruption: Disruption<On>,
    { done, service: special }: { readonly done: string; readonly service?: Partial<TestServiceOptions> },
  ): Scenario<On> =>
  async (options) => {
    const { engine, seed, isCalm, times } = options
    await using service = await startTestService({ engine, seed, isCalm, ...special })
    const failures = await disruption(service, options)
    const result = await service.finish()
    return { done: `${times} ${done}`, failures: [...failures, ...listFailures(result)], result }
  }
