import { escapeControls } from '@wabakit/contract/escape-controls'
import type { Command } from 'commander'
import { createControlClient, getOrganizationPath } from './control-client.ts'
import { addExamples, addServerOptions, collect, createOption, type ServerOptions } from './options.ts'
import { createOutput, type Output } from './output.ts'

type KeyOptions = ServerOptions & { readonly label?: string; readonly wabaNumber?: readonly string[] }

const createKey = async (options: KeyOptions, output: Output): Promise<void> => {
  const { organization, label, wabaNumber: wabaNumbers } = options
  const path = `${getOrganizationPath(organization)}/api-keys`
  const created = (await createControlClient(options).send('POST', path, { label, wabaNumbers })) as {
    key: string
  }
  output.result(created, escapeControls(created.key))
}

export const define = (key: Command): void => {
  const command = addServerOptions(key.command('create'))
    .description('create an API key of an organization, and print it')
    .addOption(createOption('--label <text>', 'name of the key for people'))
    .addOption(
      createOption(
        '--waba-number <number>',
        'number that the key may use (repeatable; default: all)',
      ).argParser(collect),
    )
    .action((options) => createKey(options, createOutput(options)))
  addExamples(command, 'key create', 'key create --label shop --waba-number +15550100001')
}
