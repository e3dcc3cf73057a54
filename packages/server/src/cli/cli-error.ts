/**
 * What the process says with its exit code: `ok`, a check or a request that failed, words that are used wrongly, or a
 * server that cannot be reached.
 */
export const exitCodes = { ok: 0, failed: 1, usage: 2, unreachable: 3 } as const

/** A failure to tell in words, and with an exit code; there is no stack to show. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.failed, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}
