import type { Command } from 'commander'
import type { SearchHit } from '../control-types.ts'
import { createOrganizationClient } from './control-client.ts'
import { findOperation, listFieldOptions, readFields } from './operation-options.ts'
import { addExamples, addServerOptions, type ServerOptions } from './options.ts'
import { createOutput } from './output.ts'
import { printTable } from './table.ts'

export const define = (command: Command): void => {
  const fields = listFieldOptions(findOperation('search')).options.filter(({ field }) => field !== 'text')
  command.argument(
    '<text>',
    'an id, a number, or a part of an id, a subject, a URL, a label, a payload or an API request',
  )
  for (const { option } of fields) command.addOption(option)
  addServerOptions(command).action(async (text: string, options: ServerOptions) => {
    const query = new URLSearchParams({ text, limit: '50' })
    for (const [name, value] of Object.entries(readFields(command, fields))) query.set(name, String(value))
    const found = await createOrganizationClient(options).send('GET', `/search?${query}`)
    const { items } = found as { items: readonly SearchHit[] }
    printTable(createOutput(options), items, ['kind', 'id', 'at', 'label'])
  })
  addExamples(command, 'search +15550199001', 'search order-1042 --format json', 'search 401')
}
