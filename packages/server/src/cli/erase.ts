import type { ErasedPart } from '@wabakit/core'
import { escapeControls } from '@wabakit/wire'
import { Argument, type Command } from 'commander'
import { confirm, createYesOption } from './confirm.ts'
import { createOrganizationClient } from './control-client.ts'
import { addExamples, addServerOptions, createOption, type ServerOptions } from './options.ts'
import { CliError, createOutput } from './output.ts'
import { sendParts } from './progress-line.ts'

type EraseOptions = ServerOptions & { readonly dryRun?: boolean; readonly yes?: boolean }
type Counts = Required<Omit<ErasedPart, 'nextCursor'>>

const format = ({ calls, participants, events }: Counts): string =>
  [
    `${calls} ${calls === 1 ? 'call' : 'calls'}`,
    `${participants} ${participants === 1 ? 'participant' : 'participants'}`,
    `${events} ${events === 1 ? 'event' : 'events'} with their deliveries`,
  ].join(', ')

const addUp = (parts: readonly ErasedPart[]): Counts => {
  const sum = (kind: keyof Counts): number => parts.reduce((total, part) => total + part[kind], 0)
  return { calls: sum('calls'), participants: sum('participants'), events: sum('events') }
}

const erase = async (kind: string, id: string, options: EraseOptions): Promise<void> => {
  const { dryRun = false } = options
  if (!dryRun) await confirm(escapeControls(`Erase the ${kind} ${id}?`), options)
  const verb = dryRun ? 'would erase' : 'erased'
  if (kind === 'organization') {
    await createOrganizationClient({ ...options, organization: id }).send(dryRun ? 'GET' : 'DELETE', '')
    const text = escapeControls(`${verb} organization ${id}, and everything that it owns`)
    return createOutput(options).result({ organization: id, dryRun }, text)
  }
  const control = createOrganizationClient(options)
  const selection = kind === 'call' ? { callId: id } : { customerNumber: id }
  const parts = await sendParts(
    (cursor) => control.send('POST', '/erasures', { ...selection, dryRun, cursor }) as Promise<ErasedPart>,
    (done) => `${dryRun ? 'found' : 'erased'} ${format(addUp(done))} so far`,
  )
  const counts = addUp(parts)
  createOutput(options).result({ ...counts, dryRun }, escapeControls(`${verb} ${format(counts)}`))
  if (counts.calls + counts.participants + counts.events === 0) {
    throw new CliError(`Nothing was found about the ${kind} ${escapeControls(id)}.`)
  }
}

export const define = (command: Command): void => {
  addServerOptions(command)
    .addArgument(new Argument('<kind>', 'what to erase').choices(['call', 'customer', 'organization']))
    .argument('<id>', "id of the call or the organization, or the customer's number")
    .addOption(createOption('--dry-run', 'count what would be erased, and erase nothing'))
    .addOption(createYesOption())
    .addHelpText('after', '\nRun the same command again after an interruption to continue.')
    .action(erase)
  addExamples(
    command,
    'erase customer +15550199001 --dry-run',
    'erase call call_…',
    'erase organization acme --yes',
  )
}
