import { type ExecException, type ExecOptions, exec } from 'node:child_process'

/** Describes why a command ended. Limits come first: a command that is stopped may have printed an unrelated warning. */
const describeEnd = (
  error: ExecException,
  stderr: string,
  { timeout, maxBuffer = 0 }: ExecOptions,
): string => {
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
    return `it printed more than ${maxBuffer / 1_048_576} MiB`
  if (error.killed) return `it did not end within ${timeout} ms`
  return stderr.trim().split('\n').at(-1) || `it ended with ${error.code ?? error.signal}`
}

/** Quotes a string as a single word of a POSIX shell. */
export const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/**
 * Runs a command in the platform's shell and resolves to its standard output.
 *
 * @throws Error with the reason if the command fails or is stopped: a limit, the last line of standard error or, if that is
 * empty, the exit code or the signal.
 */
export const runCommand = (command: string, options: ExecOptions): Promise<string> =>
  new Promise((resolve, reject) => {
    exec(command, options, (error, stdout, stderr) => {
      if (error === null) return resolve(String(stdout))
      reject(new Error(describeEnd(error, String(stderr), options), { cause: error }))
    })
  })
