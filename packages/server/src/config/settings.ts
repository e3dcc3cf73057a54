import type * as z from 'zod/mini'
import { ServerConfig, type SettingFacts, type SettingName, settingFacts } from './server-config.ts'

/** A setting, with the names it goes by. */
export type Setting = SettingFacts & {
  readonly name: SettingName
  /** Such as `--max-connections`; a setting of the file only has none. */
  readonly flag: string | undefined
  /** Such as `WABAKIT_MAX_CONNECTIONS`. */
  readonly variable: string | undefined
  /** What a text (of a flag or a variable) is turned into. */
  readonly kind: 'text' | 'number' | 'boolean'
  /** The value when it is not set, if there is one. */
  readonly default: unknown
}

const words = (name: string): string[] => name.split(/(?=[A-Z])/).map((word) => word.toLowerCase())

const inner = (schema: z.core.$ZodType): z.core.$ZodType => {
  const { def } = schema._zod
  return 'innerType' in def ? inner(def.innerType as z.core.$ZodType) : schema
}

const kindOf = (schema: z.core.$ZodType): Setting['kind'] => {
  const { type } = inner(schema)._zod.def
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
    flag: facts.fileOnly ? undefined : `--${words(name).join('-')}`,
    variable: facts.fileOnly ? undefined : `WABAKIT_${words(name).join('_').toUpperCase()}`,
    kind: kindOf(schema),
    default: 'defaultValue' in def ? def.defaultValue : undefined,
  }
}

const isSettingName = (name: string): name is SettingName => Object.hasOwn(ServerConfig.shape, name)

/** Every setting of a server, in the order of the documentation. */
export const settings: readonly Setting[] = Object.keys(ServerConfig.shape)
  .filter(isSettingName)
  .map(describe)

/** The setting of this name, if there is one. */
export const findSetting = (name: string): Setting | undefined =>
  settings.find((setting) => setting.name === name)
