import { type Command, Option } from 'commander'
import { settings } from '../config/settings.ts'
import { createFormatOption } from './options.ts'

/** The flags of a server's settings by the names of the settings, and the path of the configuration file. */
export type SettingFlags = Readonly<Record<string, string | boolean | undefined>>

/** Adds a flag for each setting of a server. `loadConfig` applies their variables and defaults. */
export const addSettingOptions = (command: Command): Command => {
  for (const { flag, kind, about, form, variable, otherwise, default: value } of settings) {
    if (flag === undefined) continue
    const description = `${about} Must be ${form}. (default: ${otherwise ?? value}, env: ${variable})`
    const placeholder = kind === 'boolean' ? '[boolean]' : kind === 'number' ? '<number>' : '<text>'
    command.addOption(new Option(`${flag} ${placeholder}`, description.replaceAll('`', '')))
  }
  return command
    .option(
      '--config <file>',
      'JSON file with settings (default: wabakit.config.json if it exists, env: WABAKIT_CONFIG)',
    )
    .addOption(createFormatOption())
}
