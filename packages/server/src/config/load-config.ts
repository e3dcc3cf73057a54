import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { ConfigError } from './config-error.ts'
import { parseConfig } from './parse-config.ts'
import type { ServerConfig } from './server-config.ts'
import { type Setting, settings } from './settings.ts'

/** Where {@link loadConfig} looks. */
export type ConfigSources = {
  /** Texts of flags by the names of their settings; `undefined` where a flag was not given. */
  readonly flags?: Readonly<Record<string, string | boolean | undefined>>
  /**
   * The environment. An empty variable counts as not set.
   * @default process.env
   */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /**
   * Path of the file, which must exist then.
   * @default the variable `WABAKIT_CONFIG`, else `wabakit.config.json` if there is one
   */
  readonly file?: string | undefined
  /**
   * Folder that paths are relative to.
   * @default the current one
   */
  readonly folder?: string
}

const defaultFile = 'wabakit.config.json'

const fromText = ({ kind }: Setting, text: string | boolean): unknown => {
  if (typeof text === 'boolean') return text
  if (kind === 'number') return /^-?\d+$/.test(text) ? Number(text) : text
  if (kind === 'boolean')
    return /^(?:true|1)$/i.test(text) ? true : /^(?:false|0)$/i.test(text) ? false : text
  return text
}

const readObject = (path: string): Record<string, unknown> => {
  const fail = (message: string): never => {
    throw new ConfigError([{ key: 'config', source: path, message }])
  }
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    return fail(`cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return fail('must hold one JSON object.')
  const { $schema: _, ...fields } = { $schema: undefined, ...value }
  return fields
}

/** The file to read, if any. */
const findFile = ({ file, environment = process.env, folder = '.' }: ConfigSources): string | undefined => {
  const named = file ?? (environment.WABAKIT_CONFIG || undefined)
  if (named !== undefined) return resolve(folder, named)
  const usual = resolve(folder, defaultFile)
  return existsSync(usual) ? usual : undefined
}

/**
 * The configuration of a server: each setting from its flag, else its variable, else the file, else its default.
 *
 * @throws ConfigError when a value cannot be right, there is no such setting, or the file cannot be read.
 */
export const loadConfig = (sources: ConfigSources = {}): ServerConfig => {
  const { flags = {}, environment = process.env } = sources
  const path = findFile(sources)
  const values: Record<string, unknown> = path === undefined ? {} : readObject(path)
  const origins = new Map(Object.keys(values).map((name) => [name, path ?? '']))
  for (const setting of settings) {
    const { name, flag, variable } = setting
    const given = [
      { text: flags[name], source: flag },
      { text: variable === undefined ? undefined : environment[variable] || undefined, source: variable },
    ].find(({ text }) => text !== undefined)
    if (given?.text === undefined) continue
    values[name] = fromText(setting, given.text)
    origins.set(name, given.source ?? name)
  }
  return parseConfig({ values, sourceOf: (name) => origins.get(name) ?? name })
}
