/** What a command's action gets of the process. */
export type ProgramContext = {
  /** Aborts when the process is told to end. */
  readonly signal: AbortSignal
  /** Ends the process with this code, once the command is done. */
  exitWith(code: number): void
}
