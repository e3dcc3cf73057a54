import type { ErasedPart } from '@wabakit/core'
import { escapeControls } from '@wabakit/wire'
import { Argument, type Command } from 'commander'
import { confirm, createYesOption } from './confirm.ts'
import { createControlClient, getOrganizationPath } from './control-client.ts'
import { addExamples, addServerOptions, createOption, type ServerOptions } from './options.ts'
import { CliError, createOutput, type Output } from './output.ts'
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

/** Erases all parts of a selection. Returns the total number of records of each kind. */
const eraseParts = async (
  selection: object,
  { dryRun = false, ...options }: EraseOptions,
): Promise<Counts> => {
  const control = createControlClient(options)
  const path = `${getOrganizationPath(options.organization)}/erasures`
  const parts = await sendParts(
    (cursor) => control.send('POST', path, { ...selection, dryRun, cursor }) as Promise<ErasedPart>,
    (done) => `${dryRun ? 'found' : 'erased'} ${format(addUp(done))} so far`,
  )
  return addUp(parts)
}

const erase = async (kind: string, id: string, options: EraseOptions, output: Output): Promise<void> => {
  const { dryRun = false } = options
  if (!dryRun) await confirm(escapeControls(`Erase the ${kind} ${id}?`), options)
  if (kind === 'organization') {
    const control = createControlClient(options)
    await control.send(dryRun ? 'GET' : 'DELETE', getOrganizationPath(id))
    const text = `organization ${id}, and everything that it owns`
    output.result(
      { organization: id, dryRun },
      escapeControls(dryRun ? `would erase ${text}` : `erased ${text}`),
    )
    return
  }
  const counts = await eraseParts(kind === 'call' ? { callId: id } : { customerNumber: id }, options)
  output.result(
    { ...counts, dryRun },
    escapeControls(`${dryRun ? 'would erase' : 'erased'} ${format(counts)}`),
  )
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
    .action((kind, id, options) => erase(kind, id, options, createOutput(options)))
  addExamples(
    command,
    'erase customer +15550199001 --dry-run',
    'erase call call_…',
    'erase organization acme --yes',
  )
}
