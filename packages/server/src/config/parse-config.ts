import { toIssues } from '@wabakit/contract'
import { ConfigError, type ConfigProblem } from './config-error.ts'
import { ServerConfig } from './server-config.ts'
import { findSetting, settings } from './settings.ts'

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
