import { type ExecOptions, exec } from 'node:child_process'

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
      const reason = String(stderr).trim().split('\n').at(-1) || `it ended with ${error.code ?? error.signal}`
      reject(new Error(reason, { cause: error }))
    })
  })
