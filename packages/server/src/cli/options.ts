import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ServerAddress } from './control-client.ts'
import type { Format } from './output.ts'

/** Options of every command that talks to a running server. */
export type ServerOptions = ServerAddress & { readonly organization: string; readonly format: Format }

/** `--format`, which every command has. */
export const formatOption = (): Option =>
  new Option('--format <format>', 'how to print results')
    .choices(['pretty', 'json'])
    .default('pretty')
    .env('WABAKIT_FORMAT')

/** `--server`, the base URL of a running server. */
export const serverOption = (): Option =>
  new Option('--server <url>', 'base URL of the running server')
    .default('http://127.0.0.1:4100')
    .env('WABAKIT_SERVER')

/** Adds the options of a command that uses the control API of a running server. */
export const addServerOptions = (command: Command): Command =>
  command
    .addOption(serverOption())
    .addOption(
      new Option('--control-token <token>', 'control token of the server, if it has one').env(
        'WABAKIT_CONTROL_TOKEN',
      ),
    )
    .addOption(
      new Option('--organization <id>', 'organization to work in')
        .default('demo')
        .env('WABAKIT_ORGANIZATION'),
    )
    .addOption(formatOption())

/** Collects an option that may be given several times. */
export const collect = (value: string, before: readonly string[] = []): string[] => [...before, value]

/** Parses a number of seconds, 0 or more. */
export const seconds = (text: string): number => {
  const value = Number(text)
  if (text.trim() === '' || !(value >= 0)) throw new InvalidArgumentError('It must be a number of seconds.')
  return value
}

/** Parses a point in time. */
export const moment = (text: string): string => {
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw new InvalidArgumentError('It must be an ISO 8601 date-time.')
  return new Date(time).toISOString()
}
