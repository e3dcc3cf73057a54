/** The exit codes of all commands. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, unreachable: 3 } as const

/** An error whose message is printed without a stack trace. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.failed, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}
