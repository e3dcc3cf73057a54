/** A problem with a configuration. */
export type ConfigProblem = {
  /** The setting, or a field of it (`organizations.0.id`). */
  readonly key: string
  /** Source of the value, such as `--port`, `WABAKIT_PORT` or the path of the file. */
  readonly source: string
  /** The problem and the valid values. */
  readonly message: string
}

/** The configuration is not valid, or cannot be used. The message lists the problems that were found, one per line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly code = 'invalid_config'
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[], options?: ErrorOptions) {
    super(problems.map(({ key, source, message }) => `${key} (${source}) ${message}`).join('\n'), options)
    this.problems = problems
  }
}
