import { toIssues } from '@wabakit/contract'
import type * as z from 'zod/mini'
import { ConfigError, type ConfigProblem } from './config-error.ts'
import { ServerConfig, type SettingFacts, type SettingName, settingFacts } from './server-config.ts'

/** A setting of the server. @inline */
export type Setting = SettingFacts & {
  readonly name: SettingName
  /** The command-line flag, such as `--max-connections`; `undefined` for settings that only the file can contain. */
  readonly flag: string | undefined
  /**
   * The environment variable, such as `WABAKIT_MAX_CONNECTIONS`; `undefined` for settings that only the file
   * can contain.
   */
  readonly variable: string | undefined
  /** The type to which flags and variables are converted. */
  readonly kind: 'text' | 'number' | 'boolean'
  readonly default: unknown
}

const splitWords = (name: string): string[] => name.split(/(?=[A-Z])/).map((word) => word.toLowerCase())

const unwrap = (schema: z.core.$ZodType): z.core.$ZodType => {
  const { def } = schema._zod
  return 'innerType' in def ? unwrap(def.innerType as z.core.$ZodType) : schema
}

const getKind = (schema: z.core.$ZodType): Setting['kind'] => {
  const { type } = unwrap(schema)._zod.def
  return type === 'number' || type === 'boolean' ? type : 'text'
}

const describe = (name: SettingName): Setting => {
  const schema = ServerConfig.shape[name]
  const facts = settingFacts.get(schema)
  if (facts === undefined) throw new TypeError(`The setting ${name} has no description.`)
  const { def } = schema._zod
  return {
    name,
    ...facts,
    flag: facts.fileOnly ? undefined : `--${splitWords(name).join('-')}`,
    variable: facts.fileOnly ? undefined : `WABAKIT_${splitWords(name).join('_').toUpperCase()}`,
    kind: getKind(schema),
    default: 'defaultValue' in def ? def.defaultValue : undefined,
  }
}

const isSettingName = (name: string): name is SettingName => Object.hasOwn(ServerConfig.shape, name)

/** Lists every setting of a server, in the order of the documentation. */
export const settings: readonly Setting[] = Object.keys(ServerConfig.shape)
  .filter(isSettingName)
  .map(describe)

const findSetting = (name: string): Setting | undefined => settings.find((setting) => setting.name === name)

const formatMessage = (path: string, sentence: string, value: unknown): string => {
  const [name = '', ...rest] = path.split('.')
  const setting = findSetting(name)
  if (setting === undefined || rest.length > 0) return sentence
  const shown = setting.secret === true || typeof value === 'object' ? '' : `, not ${JSON.stringify(value)}`
  return `must be ${setting.form}${shown}.`
}

/**
 * Validates settings and adds the defaults.
 *
 * @param sourceOf - returns the source of a setting's value, for errors.
 * @throws ConfigError when a value is not valid or a setting does not exist.
 */
export const parseConfig = (
  values: Readonly<Record<string, unknown>>,
  sourceOf: (name: string) => string,
): ServerConfig => {
  const parsed = ServerConfig.safeParse(values)
  if (parsed.success) return parsed.data
  const known = settings.map(({ name }) => name).join(', ')
  const unknown = Object.keys(values)
    .filter((name) => findSetting(name) === undefined)
    .map((key) => ({
      key,
      source: sourceOf(key),
      message: `is not a setting. Valid settings are: ${known}.`,
    }))
  const invalid = toIssues(parsed.error)
    .filter(({ path }) => path !== '')
    .map(({ path, message }): ConfigProblem => {
      const [name = ''] = path.split('.')
      return { key: path, source: sourceOf(name), message: formatMessage(path, message, values[name]) }
    })
  throw new ConfigError([...unknown, ...invalid])
}
