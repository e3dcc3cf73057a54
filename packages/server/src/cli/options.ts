import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ServerAddress } from './control-client.ts'
import type { Format } from './output.ts'

/** Options of every command that talks to a running server. */
export type ServerOptions = ServerAddress & { readonly organization: string; readonly format: Format }

/** An option with its variable: `WABAKIT_` and its name. */
export const option = (flags: string, description: string): Option => {
  const made = new Option(flags, description)
  return made.env(`WABAKIT_${made.name().replaceAll('-', '_').toUpperCase()}`)
}

/** `--format`, which every command has. */
export const formatOption = (): Option =>
  option('--format <format>', 'how to print results').choices(['pretty', 'json']).default('pretty')

/** `--server`, the base URL of a running server. */
export const serverOption = (): Option =>
  option('--server <url>', 'base URL of the running server').default('http://127.0.0.1:4100')

/** Adds the options of a command that uses the control API of a running server. */
export const addServerOptions = (command: Command): Command =>
  command
    .addOption(serverOption())
    .addOption(option('--control-token <token>', 'control token of the server, if it has one'))
    .addOption(option('--organization <id>', 'organization to work in').default('demo'))
    .addOption(formatOption())

/** Collects an option that may be given several times. */
export const collect = (value: string, before: readonly string[] = []): string[] => [...before, value]

/** The same, of a closed list. */
export const collectOf =
  (choices: readonly string[]) =>
  (value: string, before?: readonly string[]): string[] => {
    if (!choices.includes(value)) throw new InvalidArgumentError(`It must be one of: ${choices.join(', ')}.`)
    return collect(value, before)
  }

/** Parses a number of seconds, 0 or more. */
export const seconds = (text: string): number => {
  const value = Number(text)
  if (text.trim() === '' || !(value >= 0) || value === Infinity)
    throw new InvalidArgumentError('It must be a number of seconds.')
  return value
}

/** Parses a point in time. */
export const moment = (text: string): string => {
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw new InvalidArgumentError('It must be an ISO 8601 date-time.')
  return new Date(time).toISOString()
}
