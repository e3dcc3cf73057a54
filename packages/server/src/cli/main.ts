#!/usr/bin/env node
import { CommanderError } from 'commander'
import { ConfigError } from '../config/config-error.ts'
import { DatabaseInUseError } from '../stores/errors/database-in-use-error.ts'
import { DatabaseOpenError } from '../stores/errors/database-open-error.ts'
import { DatabaseVersionError } from '../stores/errors/database-version-error.ts'
import { escapeText } from '../terminal/escape-text.ts'
import { CliError, exitCodes } from './cli-error.ts'
import { createProgram } from './program.ts'

const stop = new AbortController()
let exitCode: number = exitCodes.ok

/** Commands that run until they are told to end look at the signal; a server watches the process by itself. */
const abortOnSignal = (): void => {
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stop.abort())
}

/** What keeps a server from starting until somebody changes a setting, or what it names. */
const startErrors = [ConfigError, DatabaseInUseError, DatabaseOpenError, DatabaseVersionError]

const tell = (error: unknown): number => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  if (error instanceof CliError) {
    process.stderr.write(`${escapeText(error.message)}\n`)
    return error.exitCode
  }
  if (error instanceof Error && startErrors.some((kind) => error instanceof kind)) {
    process.stderr.write(`${escapeText(error.message)}\n`)
    return exitCodes.usage
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`${escapeText(text)}\n`)
  return exitCodes.failed
}

const program = createProgram({
  signal: stop.signal,
  exitWith: (code) => {
    exitCode = code
  },
})
const exitOverride = (command: typeof program): void => {
  command.exitOverride()
  for (const child of command.commands) exitOverride(child)
}
exitOverride(program)
program.hook('preAction', (_, action) => {
  if (action.name() === 'tail' || action.name() === 'listen') abortOnSignal()
})
// A reader that has seen enough (`wabakit openapi | head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(exitCodes.ok)
})

try {
  await program.parseAsync()
} catch (error) {
  exitCode = tell(error)
}
process.exitCode = exitCode
