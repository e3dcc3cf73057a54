import { existsSync, readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { ConfigError } from './config-error.ts'
import type { ServerConfig } from './server-config.ts'
import { parseConfig, type Setting, settings } from './settings.ts'

/** The sources of {@link loadConfig}. @inline */
export type ConfigSources = {
  /** The values of command-line flags by setting name; `undefined` for omitted flags. */
  readonly flags?: Readonly<Record<string, string | boolean | undefined>>
  /**
   * The environment variables. An empty variable counts as not set.
   * @default process.env
   */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /**
   * The path of the configuration file, which must exist.
   * @default the variable `WABAKIT_CONFIG`; otherwise `wabakit.config.json`, if it exists
   */
  readonly file?: string | undefined
  /**
   * The folder of `wabakit.config.json`, and the one that a relative `file` or `WABAKIT_CONFIG` starts from.
   * @default the current folder
   */
  readonly folder?: string
  /**
   * Receives warnings for the operator, such as a warning that other users can read secrets in the file.
   * @default console.warn
   */
  readonly onWarning?: (message: string) => void
}

const defaultFile = 'wabakit.config.json'

const parseText = ({ kind }: Setting, text: string | boolean): unknown => {
  if (typeof text === 'boolean') return text
  if (kind === 'number') return /^-?\d+$/.test(text) ? Number(text) : text
  if (kind === 'boolean')
    return /^(?:true|1)$/i.test(text) ? true : /^(?:false|0)$/i.test(text) ? false : text
  return text
}

/** Removes the byte order mark that some editors on Windows put before a text. JSON does not allow it. */
export const withoutBom = (text: string): string => text.replace(/^\uFEFF/, '')

const readObject = (path: string): Record<string, unknown> => {
  const fail = (message: string): never => {
    throw new ConfigError([{ key: 'config', source: path, message }])
  }
  let value: unknown
  try {
    value = JSON.parse(withoutBom(readFileSync(path, 'utf8')))
  } catch (error) {
    // The rest of the message may quote the file, which may contain secrets.
    const [reason] = String(error instanceof Error ? error.message : error).split(', ', 1)
    return fail(`cannot be read: ${reason}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return fail('must contain one JSON object.')
  const { $schema: _, ...fields } = { $schema: undefined, ...value }
  return fields
}

const secretNames = ['controlToken', 'metricsToken', 'operationsSecret', 'webhookHeader']

/** Returns whether settings contain tokens, keys, a password, or a URL for webhooks whose query may be a token. */
const hasSecrets = ({ database, organizations, ...values }: Record<string, unknown>): boolean =>
  secretNames.some((name) => values[name] !== undefined) ||
  ['webhookUrl', 'operationsUrl'].some((name) => String(values[name]).includes('?')) ||
  /^postgres(?:ql)?:\/\/(?:[^/?#]*:[^/?#]*@|.*[?&]password=)/.test(String(database)) ||
  /"key":/.test(JSON.stringify(organizations) ?? '')

const isExposed = (path: string): boolean =>
  process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0

const findFile = ({ file, environment = process.env, folder = '.' }: ConfigSources): string | undefined => {
  const path = file ?? (environment.WABAKIT_CONFIG || undefined)
  if (path !== undefined) return resolve(folder, path)
  const usualPath = resolve(folder, defaultFile)
  return existsSync(usualPath) ? usualPath : undefined
}

/**
 * Loads the configuration of a server. A flag takes precedence over an environment variable, and a variable over the
 * configuration file. All other settings have their defaults.
 *
 * @throws ConfigError when a value is not valid, or the file cannot be read or has a setting that does not exist.
 */
export const loadConfig = (sources: ConfigSources = {}): ServerConfig => {
  const { flags = {}, environment = process.env, onWarning = console.warn } = sources
  const path = findFile(sources)
  const values: Record<string, unknown> = path === undefined ? {} : readObject(path)
  if (path !== undefined && hasSecrets(values) && isExposed(path)) {
    onWarning(`${path} has secrets, and other users of this machine can read it. Run: chmod 600 ${path}`)
  }
  const origins = new Map(Object.keys(values).map((name) => [name, path ?? '']))
  for (const setting of settings) {
    const { name, flag, variable } = setting
    const text = flags[name] ?? (variable === undefined ? undefined : environment[variable] || undefined)
    if (text === undefined) continue
    values[name] = parseText(setting, text)
    origins.set(name, (flags[name] === undefined ? variable : flag) ?? name)
  }
  return parseConfig(values, (name) => origins.get(name) ?? name)
}
