import { type Command, Option } from 'commander'
import { settings } from '../config/settings.ts'
import { formatOption } from './options.ts'

/** Adds a flag for each setting of a server. Their variables and defaults are applied by `loadConfig`. */
export const addSettings = (command: Command): Command => {
  for (const { flag, kind, about, form, variable, otherwise, default: value } of settings) {
    if (flag === undefined) continue
    const description = `${about} Must be ${form}. (default: ${otherwise ?? value}, env: ${variable})`
    const placeholder = kind === 'boolean' ? '[boolean]' : kind === 'number' ? '<number>' : '<text>'
    command.addOption(new Option(`${flag} ${placeholder}`, description.replaceAll('`', '')))
  }
  return command
    .option(
      '--config <file>',
      'JSON file with settings (default: wabakit.config.json if there is one, env: WABAKIT_CONFIG)',
    )
    .addOption(formatOption())
}
