import { toIssues } from '@wabakit/contract'
import { ConfigError, type ConfigProblem } from './config-error.ts'
import { ServerConfig } from './server-config.ts'
import { findSetting, settings } from './settings.ts'

/** Values by the names of their settings, and where each came from. */
export type ConfigValues = {
  readonly values: Readonly<Record<string, unknown>>
  readonly sourceOf: (name: string) => string
}

const known = (): string => settings.map(({ name }) => name).join(', ')

const messageFor = (path: string, sentence: string, value: unknown): string => {
  const [name = '', ...rest] = path.split('.')
  const setting = findSetting(name)
  if (setting === undefined || rest.length > 0) return sentence
  const shown = setting.secret === true || typeof value === 'object' ? '' : `, not ${JSON.stringify(value)}`
  return `must be ${setting.form}${shown}.`
}

const unknownNames = ({ values, sourceOf }: ConfigValues): ConfigProblem[] =>
  Object.keys(values)
    .filter((name) => findSetting(name) === undefined)
    .map((key) => ({ key, source: sourceOf(key), message: `is no setting. There are: ${known()}.` }))

/**
 * Checks values and fills in the defaults.
 *
 * @throws ConfigError when a value cannot be right, or there is no such setting.
 */
export const parseConfig = (given: ConfigValues): ServerConfig => {
  const { values, sourceOf } = given
  const parsed = ServerConfig.safeParse(values)
  if (parsed.success) return parsed.data
  const invalid = toIssues(parsed.error)
    .filter(({ path }) => path !== '')
    .map(({ path, message }): ConfigProblem => {
      const [name = ''] = path.split('.')
      return { key: path, source: sourceOf(name), message: messageFor(path, message, values[name]) }
    })
  throw new ConfigError([...unknownNames(given), ...invalid])
}
