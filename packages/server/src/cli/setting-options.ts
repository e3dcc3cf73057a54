import { type Command, Option } from 'commander'
import type { SettingName } from '../config/server-config.ts'
import { settings } from '../config/settings.ts'
import { createFormatOption } from './options.ts'

/** The flags of a server's settings, keyed by setting name, and the path of the configuration file. */
export type SettingFlags = {
  readonly config?: string
  readonly [name: string]: string | boolean | undefined
}

/** The titles of the groups in the help, keyed by the first setting of each group. */
const groups: Partial<Record<SettingName, string>> = {
  host: 'Server:',
  controlToken: 'Access:',
  deliveryConcurrency: 'Deliveries:',
  rateLimitPerOrganization: 'Limits:',
  logLevel: 'Log:',
  webhookUrl: 'Trying it out:',
}

type SettingOptions = {
  /** Defaults that differ from the ones of `serve`. */
  readonly defaults?: Partial<Record<SettingName, string>>
  /** Settings that the help shows. The others work, too. @default all */
  readonly shown?: readonly SettingName[]
}

/** Adds a flag for each server setting that not only the file can contain. `loadConfig` applies the variables and defaults. */
export const addSettingOptions = (
  command: Command,
  { defaults = {}, shown }: SettingOptions = {},
): Command => {
  let group = ''
  for (const { name, flag, kind, about, form, otherwise, default: value } of settings) {
    if (flag === undefined) continue
    group = groups[name] ?? group
    const description = `${about} Must be ${form}. (default: ${defaults[name] ?? otherwise ?? value})`
    const placeholder = kind === 'boolean' ? '[boolean]' : kind === 'number' ? '<number>' : '<text>'
    const option = new Option(`${flag} ${placeholder}`, description.replaceAll('`', ''))
    command.addOption(option.helpGroup(group).hideHelp(shown?.includes(name) === false))
  }
  return command
    .option('--config <file>', 'JSON file with settings (default: wabakit.config.json if it exists)')
    .addOption(createFormatOption())
    .configureHelp({
      // Puts each description below its flag, because the space next to the longest flag is too narrow.
      formatItem: (term, _termWidth, description, help) =>
        `  ${term}\n${help.boxWrap(description, 72).replace(/^/gm, '      ')}`,
    })
    .addHelpText(
      'after',
      (shown === undefined ? '' : '\nAll other flags of `wabakit serve` work, too.') +
        '\nEach flag has a variable: WABAKIT_ and its name, such as WABAKIT_PORT.\nA flag takes precedence over its variable, and a variable over the file.',
    )
}
