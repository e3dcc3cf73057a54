import { type Command, InvalidArgumentError, Option } from 'commander'
import { CliError, exitCodes, type Format } from './output.ts'

/** The command that users run. With npx, `wabakit` is not on the PATH. */
export const commandName = process.env.npm_command === 'exec' ? 'npx @wabakit/server' : 'wabakit'

export const defaultServer = 'http://127.0.0.1:4100'

export type ServerAddress = {
  readonly server: string
  readonly controlToken?: string | undefined
}

/** The options of all commands that use a running server's control API. */
export type ServerOptions = ServerAddress & { readonly organization: string; readonly format: Format }

/** Creates an option whose value can also come from a variable, `WABAKIT_<NAME>`; for `--secret`, `WABAKIT_WEBHOOK_SECRET`. */
export const createOption = (flags: string, description: string): Option => {
  const option = new Option(flags, description)
  const name = option.name() === 'secret' ? 'webhook-secret' : option.name()
  return option.env(`WABAKIT_${name.replaceAll('-', '_').toUpperCase()}`)
}

type OptionFacts = {
  readonly about: string
  parse?(text: string, previous: unknown): unknown
  readonly default?: unknown
  readonly isRequired?: true
}

/** Adds options, keyed by their flags. Their values can also come from environment variables. */
export const addOptions = (
  command: Command,
  options: Readonly<Record<string, string | OptionFacts>>,
): Command => {
  for (const [flags, facts] of Object.entries(options)) {
    const { about, parse, isRequired, ...rest } = typeof facts === 'string' ? { about: facts } : facts
    const option = createOption(flags, about).makeOptionMandatory(isRequired === true)
    if (parse !== undefined) option.argParser(parse)
    if (rest.default !== undefined) option.default(rest.default)
    command.addOption(option)
  }
  return command
}

export const createFormatOption = (): Option =>
  createOption('--format <format>', 'format of results').choices(['pretty', 'json']).default('pretty')

/**
 * Parses an http or https URL. Defaults to http, as in `localhost:4100`. For a URL with a user name or password, and for
 * an invalid one with a query, throws a CliError, because a commander error would print it.
 */
export const parseUrl = (text: string): string => {
  const url = text.includes('://') ? text : `http://${text}`
  const { protocol, username, password } = URL.canParse(url) ? new URL(url) : {}
  if (username || password) {
    const message =
      'A URL must not contain a user name or password. Use other options instead, such as --control-token or --header.'
    throw new CliError(message, exitCodes.usage)
  }
  if (protocol === 'http:' || protocol === 'https:') return url
  const rule = `must be an http or https URL, such as ${defaultServer}.`
  if (text.includes('?')) throw new CliError(`A URL ${rule}`, exitCodes.usage)
  throw new InvalidArgumentError(`It ${rule}`)
}

export const createServerOption = (): Option =>
  createOption('--server <url>', 'base URL of the running server')
    .argParser((text) => parseUrl(text).replace(/\/+$/, ''))
    .default(defaultServer)

export const addServerOptions = (command: Command): Command => {
  const connection = [
    createServerOption(),
    createOption('--control-token <token>', 'control token of the server, if it has one'),
    createOption('--organization <id>', 'id of the organization').default('demo'),
  ]
  for (const option of connection) command.addOption(option.helpGroup('Connection:'))
  return command.addOption(createFormatOption())
}

const helpWidth = 80

/** Breaks a long command into several lines before its options and redirection, in shell syntax. */
const formatExample = (line: string): string => {
  const lines = ['  $ wabakit']
  for (const part of line.split(/ (?=--|> )/)) {
    const last = lines.at(-1) ?? ''
    if (`${last} ${part} \\`.length <= helpWidth) lines[lines.length - 1] = `${last} ${part}`.trimEnd()
    else lines.push(`      ${part}`)
  }
  return lines.join(' \\\n')
}

export const addExamples = (command: Command, ...lines: readonly string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${lines.map(formatExample).join('\n')}`)

export const collect = (value: string, previous: readonly string[] = []): string[] => [...previous, value]

/** Creates a parser for a numeric option. `form` completes the sentence "It must be …". */
export const createNumberParser =
  (form: string, accepts: (value: number) => boolean) =>
  (text: string): number => {
    const value = Number(text)
    if (text.trim() !== '' && accepts(value)) return value
    throw new InvalidArgumentError(`It must be ${form}.`)
  }

export const parseSeconds = createNumberParser(
  'a number of seconds',
  (value) => value >= 0 && value < Infinity,
)

export const parseSeed = createNumberParser(
  'a whole number from 0 to 4294967295',
  (value) => Number.isInteger(value) && value >= 0 && value < 2 ** 32,
)

/**
 * Parses a header and adds it to the others. For an invalid header, throws a CliError, because a commander error would
 * print the value.
 */
export const collectHeader = (line: string, others: readonly [string, string][] = []): [string, string][] => {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):\s*([!-~](?:[ -~]*[!-~])?)$/.exec(line.trimEnd()) ?? []
  if (name !== undefined && value !== undefined) return [...others, [name.toLowerCase(), value]]
  throw new CliError('--header must be a name and a value, such as "x-webhook-token: …".', exitCodes.usage)
}

export const readIds = (text: string): string[] =>
  text
    .split(',')
    .map((id) => id.trim())
    .filter(Boolean)
