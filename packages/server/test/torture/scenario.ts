import type { Engine } from './engine.ts'
import type { WorldResult } from './world.ts'

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
