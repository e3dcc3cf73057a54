import { parseArgs } from 'node:util'

/** The arguments of a run. */
export type Choices = {
  readonly engines: readonly string[]
  /** Returns whether a scenario was requested; `undefined` if none was. */
  readonly isNamed: (scenario: string) => boolean | undefined
  readonly seed: number
  /** Number of repetitions of scenarios that do not use the default. */
  readonly times: Readonly<Record<string, number>>
}

const wholeNumber = (name: string, value: string): number => {
  if (!/^\d{1,9}$/.test(value)) throw new Error(`--${name} must be a whole number, not ${value}.`)
  return Number(value)
}

/**
 * Reads the arguments of a run.
 *
 * @param known - the names of the scenarios of each engine.
 * @throws Error if an argument is invalid.
 */
export const parseChoices = (
  arguments_: readonly string[],
  known: Readonly<Record<string, readonly string[]>>,
): Choices => {
  const { values, positionals } = parseArgs({
    args: [...arguments_],
    allowPositionals: true,
    options: {
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      kills: { type: 'string', default: '200' },
      minutes: { type: 'string', default: '60' },
      only: { type: 'string' },
    },
  })
  const engines = positionals.length === 0 ? Object.keys(known) : positionals
  for (const engine of engines) {
    if (!Object.hasOwn(known, engine)) {
      throw new Error(`Unknown engine ${engine}. Choose ${Object.keys(known).join(' or ')}.`)
    }
  }
  const scenarios = new Set(engines.flatMap((engine) => known[engine] ?? []))
  const only = values.only?.split(',')
  for (const scenario of only ?? []) {
    if (scenarios.has(scenario)) continue
    throw new Error(`Unknown scenario ${scenario}. Choose from ${[...scenarios].join(', ')}.`)
  }
  return {
    engines,
    isNamed: (scenario) => only?.includes(scenario),
    seed: wholeNumber('seed', values.seed),
    times: { kills: wholeNumber('kills', values.kills), soak: wholeNumber('minutes', values.minutes) },
  }
}
