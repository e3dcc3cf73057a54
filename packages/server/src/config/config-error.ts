/** One thing wrong with a configuration. */
export type ConfigProblem = {
  /** The setting, or a field in it (`organizations.0.id`). */
  readonly key: string
  /** Where the value came from: `--port`, `WABAKIT_PORT`, or the file's path. */
  readonly source: string
  /** What is wrong and what it must be. */
  readonly message: string
}

/** The server cannot start with this configuration. The message names every key that is at fault. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** For programs; always this. */
  readonly code = 'invalid_config'
  /** What is wrong with which setting. */
  readonly problems: readonly ConfigProblem[]

  /** @param problems - at least one. */
  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(({ key, source, message }) => `${key} (${source}) ${message}`).join('\n'))
    this.problems = problems
  }
}
