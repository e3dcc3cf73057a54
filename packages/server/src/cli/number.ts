import { JoinApprovalMode } from '@wabakit/contract'
import { type Command, Option } from 'commander'
import { confirm, createYesOption } from './confirm.ts'
import { createOrganizationClient } from './control-client.ts'
import { addExamples, addServerOptions, type ServerOptions } from './options.ts'
import { CliError, createOutput, exitCodes } from './output.ts'
import { formatRecord, printTable } from './table.ts'

type Settings = { enabled?: boolean; joinApprovalMode?: string }
type Numbers = { integrations: ({ wabaNumber: string } & Settings)[]; pstnNumbers: string[] }
type Row = { number: string; channel: string } & Settings
type SettingOptions = ServerOptions & { readonly enabled?: string; readonly joinApprovalMode?: string }

const settingsOfPstn = 'Only WhatsApp numbers have settings; this is a PSTN number.'

const toDigits = (number: string): string => number.replaceAll(/\D/g, '')
const isSame = (left: string, right: string): boolean => toDigits(left) === toDigits(right)

const listRows = ({ integrations, pstnNumbers }: Numbers): Row[] => [
  ...integrations.map(({ wabaNumber: number, ...settings }) => ({
    number,
    channel: 'WHATSAPP',
    ...settings,
  })),
  ...pstnNumbers.map((number) => ({ number, channel: 'PSTN' })),
]

const readNumbers = async (options: ServerOptions): Promise<Numbers> =>
  (await createOrganizationClient(options).send('GET', '')) as Numbers

/** Finds a number, which both channels may have: by default, the WhatsApp number. */
const findRow = (numbers: Numbers, number: string, channel?: string): Row => {
  const row = listRows(numbers).find(
    (each) => isSame(each.number, number) && (channel === undefined || each.channel === channel),
  )
  if (row === undefined) throw new CliError(`The organization does not have the number ${number}.`)
  return row
}

/** Changes an organization's numbers. The control API replaces them as a whole. */
const change = async (options: ServerOptions, edit: (numbers: Numbers) => Numbers): Promise<Numbers> => {
  const { integrations, pstnNumbers } = edit(await readNumbers(options))
  const control = createOrganizationClient(options)
  return (await control.send('PATCH', '', { integrations, pstnNumbers })) as Numbers
}

const readSettings = ({ enabled, joinApprovalMode }: SettingOptions): Settings => ({
  ...(enabled !== undefined && { enabled: enabled === 'true' }),
  ...(joinApprovalMode !== undefined && { joinApprovalMode }),
})

const hasSettings = (settings: Settings): boolean => Object.keys(settings).length > 0

const print = (options: ServerOptions, row: Row): void => createOutput(options).result(row, formatRecord(row))

const list = async (options: ServerOptions): Promise<void> => {
  const rows = listRows(await readNumbers(options))
  printTable(createOutput(options), rows, ['number', 'channel', 'enabled', 'joinApprovalMode'])
}

const create = async (which: string, options: SettingOptions & { channel: string }): Promise<void> => {
  const { channel } = options
  const settings = readSettings(options)
  if (channel === 'PSTN' && hasSettings(settings)) throw new CliError(settingsOfPstn, exitCodes.usage)
  const changed = await change(options, (numbers) => {
    const { integrations, pstnNumbers } = numbers
    if (listRows(numbers).some((row) => row.channel === channel && isSame(row.number, which)))
      throw new CliError(`The organization already has the number ${which}.`)
    return channel === 'PSTN'
      ? { integrations, pstnNumbers: [...pstnNumbers, which] }
      : { integrations: [...integrations, { wabaNumber: which, ...settings }], pstnNumbers }
  })
  print(options, findRow(changed, which, channel))
}

const update = async (which: string, options: SettingOptions): Promise<void> => {
  const settings = readSettings(options)
  if (!hasSettings(settings)) {
    throw new CliError('Nothing to change. Use --enabled or --join-approval-mode.', exitCodes.usage)
  }
  const changed = await change(options, (numbers) => {
    if (findRow(numbers, which).channel === 'PSTN') throw new CliError(settingsOfPstn)
    const integrations = numbers.integrations.map((each) =>
      isSame(each.wabaNumber, which) ? { ...each, ...settings } : each,
    )
    return { ...numbers, integrations }
  })
  print(options, findRow(changed, which))
}

const remove = async (
  which: string,
  options: ServerOptions & { readonly channel?: string; readonly dryRun?: boolean; readonly yes?: boolean },
): Promise<void> => {
  const output = createOutput(options)
  const known = await readNumbers(options)
  const row = findRow(known, which, options.channel)
  const { channel } = row
  if (
    options.channel === undefined &&
    listRows(known).some((each) => each.channel !== channel && isSame(each.number, which))
  ) {
    throw new CliError(`Both channels have the number ${which}. Choose one with --channel.`, exitCodes.usage)
  }
  if (options.dryRun) return output.result({ dryRun: true, ...row }, `would remove ${row.number}`)
  await confirm(`Remove the number ${row.number} of organization ${options.organization}?`, options)
  let removed: Row | undefined
  await change(options, (numbers) => {
    removed = findRow(numbers, which, channel)
    return channel === 'PSTN'
      ? { ...numbers, pstnNumbers: numbers.pstnNumbers.filter((each) => !isSame(each, which)) }
      : { ...numbers, integrations: numbers.integrations.filter((each) => !isSame(each.wabaNumber, which)) }
  })
  output.result({ removed }, `removed ${which}`)
}

const createChoice = (flags: string, about: string, values: readonly string[]): Option =>
  new Option(flags, about).choices(values)

const createChannelOption = (): Option =>
  createChoice('--channel <channel>', 'network of the number', ['WHATSAPP', 'PSTN'])

const addSettings = (command: Command): Command =>
  command
    .addOption(createChoice('--enabled <boolean>', 'whether groups can be created on it', ['true', 'false']))
    .addOption(createChoice('--join-approval-mode <mode>', 'default of its groups', JoinApprovalMode.options))

export const define = (number: Command): void => {
  const define = (name: string, summary: string, ...examples: readonly string[]): Command =>
    addExamples(addServerOptions(number.command(name)).description(summary), ...examples)

  define('list', 'list the numbers of an organization', 'number list').action(list)
  define('show', 'show a number', 'number show +15550100001')
    .argument('<number>')
    .action(async (which: string, options: ServerOptions) =>
      print(options, findRow(await readNumbers(options), which)),
    )
  const examples = ['number create +15550100003', 'number create +15550100004 --channel PSTN']
  addSettings(define('create', 'add a number to an organization', ...examples))
    .argument('<number>')
    .addOption(createChannelOption().default('WHATSAPP'))
    .action(create)
  addSettings(define('update', 'change a WhatsApp number', 'number update +15550100001 --enabled false'))
    .argument('<number>')
    .action(update)
  define('remove', 'remove a number from an organization', 'number remove +15550100004')
    .argument('<number>')
    .addOption(createChannelOption())
    .option('--dry-run', 'print what would be removed, and remove nothing')
    .addOption(createYesOption())
    .action(remove)
  addExamples(number, 'number list', 'number create +15550100003 --channel PSTN')
}
