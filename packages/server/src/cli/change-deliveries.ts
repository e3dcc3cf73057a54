import { escapeControls } from '@wabakit/wire'
import type { Command } from 'commander'
import { type ControlClient, createControlClient, getOrganizationPath } from './control-client.ts'
import { findOperation, listFieldOptions } from './operation-options.ts'
import { addExamples, addServerOptions, type ServerOptions } from './options.ts'
import { CliError, createOutput, exitCodes, type Output } from './output.ts'
import { sendParts } from './progress-line.ts'

/**
 * The changes that can be made to one delivery, or to all that match the given filters. `name` is the last part of the
 * operations' paths, and `counts` is the result field with the number of deliveries.
 */
const changes = {
  resend: { name: 'resend', operation: 'resendDeliveries', counts: 'resent', done: 'sent again' },
  cancel: { name: 'cancel', operation: 'cancelDeliveries', counts: 'canceled', done: 'canceled' },
} as const
type Change = (typeof changes)[keyof typeof changes]

type Options = ServerOptions & { readonly newWebhookId?: boolean; readonly dryRun?: boolean }
type Selection = {
  readonly filters: Readonly<Record<string, unknown>>
  readonly delivery: string | undefined
}
type Counted = Readonly<Record<string, number>>
type CountedPart = { readonly resent?: number; readonly canceled?: number; readonly nextCursor?: string }

const cancelOne = async (control: ControlClient, path: string, dryRun: boolean): Promise<Counted> => {
  if (!dryRun) {
    await control.send('POST', `${path}/cancel`)
    return { canceled: 1 }
  }
  const { status } = (await control.send('GET', path)) as { status: string }
  return { canceled: status === 'waiting' || status === 'pending' ? 1 : 0 }
}

/** Changes all parts of a selection. Returns the total number of deliveries. */
const changeParts = async (
  send: (cursor: string | undefined) => Promise<CountedPart>,
  { counts, done }: { readonly counts: Change['counts']; readonly done: string },
): Promise<Counted> => {
  const count = (parts: readonly CountedPart[]): number =>
    parts.reduce((sum, part) => sum + (part[counts] ?? 0), 0)
  return { [counts]: count(await sendParts(send, (parts) => `${count(parts)} ${done} so far`)) }
}

const change = async (
  entry: Change,
  { filters, delivery }: Selection,
  { newWebhookId, dryRun = false, ...options }: Options,
): Promise<void> => {
  const { name, counts, done } = entry
  const output: Output = createOutput(options)
  if (Object.keys(filters).length > 0 === (delivery !== undefined)) {
    const message =
      'Name one delivery, or select deliveries with filters such as --status or --from, or --all.'
    throw new CliError(message, exitCodes.usage)
  }
  const control = createControlClient(options)
  const path = `${getOrganizationPath(options.organization)}/deliveries`
  const one = `${path}/${encodeURIComponent(delivery ?? '')}`
  const send = (cursor: string | undefined) => {
    const body = { ...filters, newWebhookId, dryRun, cursor }
    const place = delivery === undefined ? path : one
    return control.send('POST', `${place}/${name}`, body) as Promise<CountedPart>
  }
  const result =
    delivery === undefined || name === 'resend'
      ? await changeParts(send, { counts, done: dryRun ? 'found' : done })
      : await cancelOne(control, one, dryRun)
  const count = result[counts] ?? 0
  const subject = `${count} ${count === 1 ? 'delivery' : 'deliveries'}`
  const verb = dryRun ? 'would be' : count === 1 ? 'is' : 'are'
  output.result({ ...result, ...(dryRun && { dryRun }) }, escapeControls(`${subject} ${verb} ${done}`))
}

const defineChange = (command: Command, entry: Change): void => {
  const fields = listFieldOptions(findOperation(entry.operation)).options.filter(
    ({ field }) => field !== 'dryRun' && field !== 'newWebhookId',
  )
  command.argument('[delivery]', 'id of the delivery')
  for (const { option } of fields) command.addOption(option)
  if (entry.name === 'resend') {
    command.option('--new-webhook-id', 'use a new id, so that receivers handle the event again')
  }
  command.option('--dry-run', `count what would be ${entry.done}, and change nothing`)
  addServerOptions(command).action((delivery?: string) => {
    const values: Readonly<Record<string, unknown>> = command.opts()
    const given = fields.map(({ field, option }) => [field, values[option.attributeName()]] as const)
    const filters = Object.fromEntries(given.filter(([, value]) => value !== undefined))
    return change(entry, { filters, delivery }, command.opts<Options>())
  })
}

export const define = (command: Command): void => {
  defineChange(command, changes.resend)
  const name = command.parent?.name() === 'deliveries' ? 'deliveries resend' : 'resend'
  addExamples(
    command,
    `${name} dlv_…`,
    `${name} --status exhausted,skipped --finished-from 2026-01-01T12:00:00Z --dry-run`,
  )
}

export const defineCancel = (command: Command): void => {
  defineChange(command, changes.cancel)
  addExamples(
    command,
    'deliveries cancel dlv_…',
    'deliveries cancel --subscription sub_… --before 2026-01-01T00:00:00Z --dry-run',
  )
}
