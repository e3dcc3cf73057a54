import { CommanderError } from 'commander'
import { ConfigError } from '../config/config-error.ts'
import {
  BackupError,
  DatabaseInUseError,
  DatabaseOpenError,
  DatabasePoolerError,
  DatabaseVersionError,
} from '../stores/errors.ts'
import { escapeText } from '../terminal/escape-text.ts'
import { CliError, exitCodes } from './output.ts'
import { runProgram } from './program.ts'

/**
 * Errors that usually persist until the user changes a setting, or fixes or frees the database or port that it names. A
 * supervisor should not restart the server after such an error.
 */
const lastingErrors = [ConfigError, DatabaseInUseError, DatabasePoolerError, DatabaseVersionError]

/** Errors whose messages are sufficient without a stack trace. */
const foreseenErrors = [CliError, BackupError, DatabaseOpenError, ...lastingErrors]

const getExitCode = (error: unknown): number => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  if (error instanceof CliError) return error.exitCode
  if (lastingErrors.some((type) => error instanceof type)) return exitCodes.usage
  return error instanceof DatabaseOpenError ? exitCodes.unreachable : exitCodes.failed
}

const formatError = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return foreseenErrors.some((type) => error instanceof type) ? error.message : (error.stack ?? error.message)
}

/** Runs a command. If it fails, prints its error and sets the exit code of the process. */
export const run = async (args: readonly string[]): Promise<void> => {
  try {
    await runProgram(args)
  } catch (error) {
    // Commander has already printed its message.
    if (!(error instanceof CommanderError)) process.stderr.write(`${escapeText(formatError(error))}\n`)
    process.exitCode = getExitCode(error)
  }
}

/** Handles output that cannot be written: ends the process if its reader is gone, and otherwise sets the exit code. */
export const watchOutput = (): void => {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that has enough, as in `wabakit openapi | head`, is not a failure.
    if (error.code === 'EPIPE') process.exit(exitCodes.ok)
    process.stderr.write(`The output cannot be written: ${error.message}\n`)
    process.exitCode = exitCodes.failed
  })
}
