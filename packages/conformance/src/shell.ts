import { type ExecException, type ExecOptions, exec } from 'node:child_process'

const describeEnd = (error: ExecException, { timeout, maxBuffer = 0 }: ExecOptions): string => {
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
    return `it printed more than ${maxBuffer / 1_048_576} MiB`
  return error.killed ? `it did not end within ${timeout} ms` : `it ended with ${error.code ?? error.signal}`
}

/** Quotes a string as a single shell word. */
export const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/**
 * Runs a command in the platform's shell and resolves to its standard output.
 *
 * @throws Error with the last line of standard error if the command fails.
 */
export const runCommand = (command: string, options: ExecOptions): Promise<string> =>
  new Promise((resolve, reject) => {
    exec(command, options, (error, stdout, stderr) => {
      if (error === null) return resolve(String(stdout))
      const reason = String(stderr).trim().split('\n').at(-1) || describeEnd(error, options)
      reject(new Error(reason, { cause: error }))
    })
  })
