import { escapeControls } from '@wabakit/wire'
import type { Command } from 'commander'
import { checkFilters } from './check-filters.ts'
import { type ControlClient, createOrganizationClient } from './control-client.ts'
import { findOperation, listFieldOptions, readFields } from './operation-options.ts'
import { addExamples, addServerOptions, type ServerOptions } from './options.ts'
import { CliError, createOutput, exitCodes } from './output.ts'
import { sendParts } from './progress-line.ts'

/**
 * Changes to one delivery, or to all deliveries that match filters, keyed by the last part of the operation's path.
 * `counts` is the field of the result that contains the number of deliveries.
 */
const changes = {
  resend: { operation: 'resendDeliveries', counts: 'resent', done: 'resent' },
  retry: { operation: 'retryDeliveries', counts: 'retried', done: 'retried now' },
  cancel: { operation: 'cancelDeliveries', counts: 'canceled', done: 'canceled' },
} as const
type Change = keyof typeof changes

type Options = ServerOptions & { readonly newWebhookId?: boolean; readonly dryRun?: boolean }
type Part = {
  readonly resent?: number
  readonly retried?: number
  readonly canceled?: number
  readonly nextCursor?: string
}

/** The statuses in which a single delivery can be changed. Only the API's resend has a dry run for a single delivery. */
const changeable = { retry: ['pending'], cancel: ['waiting', 'pending'] } as const

/** Changes a delivery, or checks whether that is possible. Returns the number of deliveries that were or would be changed. */
const changeOne = async (
  control: ControlClient,
  path: string,
  { name, dryRun }: { readonly name: keyof typeof changeable; readonly dryRun: boolean },
): Promise<number> => {
  if (!dryRun) {
    await control.send('POST', `${path}/${name}`)
    return 1
  }
  const { status } = (await control.send('GET', path)) as { status: string }
  return changeable[name].some((each) => each === status) ? 1 : 0
}

const change = async (
  name: Change,
  { filters, delivery }: { readonly filters: object; readonly delivery: string | undefined },
  { newWebhookId, dryRun = false, ...options }: Options,
): Promise<void> => {
  if (Object.keys(filters).length > 0 === (delivery !== undefined)) {
    const message =
      'Name one delivery, or select deliveries with filters such as --status or --from, or --all.'
    throw new CliError(message, exitCodes.usage)
  }
  const { counts, done } = changes[name]
  const control = createOrganizationClient(options)
  const path = delivery === undefined ? '/deliveries' : `/deliveries/${encodeURIComponent(delivery)}`
  const send = (cursor: string | undefined) =>
    control.send('POST', `${path}/${name}`, { ...filters, newWebhookId, dryRun, cursor }) as Promise<Part>
  const addUp = (parts: readonly Part[]): number => parts.reduce((sum, part) => sum + (part[counts] ?? 0), 0)
  const count =
    delivery !== undefined && name !== 'resend'
      ? await changeOne(control, path, { name, dryRun })
      : addUp(await sendParts(send, (parts) => `${addUp(parts)} ${dryRun ? 'found' : done} so far`))
  if (count === 0) await checkFilters(filters, options)
  const subject = `${count} ${count === 1 ? 'delivery' : 'deliveries'}`
  const verb = dryRun ? 'would be' : count === 1 ? 'is' : 'are'
  const result = { [counts]: count, ...(dryRun && { dryRun }) }
  const output = createOutput(options)
  output.result(result, escapeControls(`${subject} ${verb} ${done}`))
  if (name === 'retry' && count === 0)
    output.notice('Only pending deliveries are retried. Resend those that are exhausted or skipped.')
  if (name === 'resend' && count === 0) {
    output.notice('Deliveries to disabled subscriptions are not resent: enable the subscriptions first.')
  }
}

const defineChange = (command: Command, name: Change): void => {
  const { operation, done } = changes[name]
  const fields = listFieldOptions(findOperation(operation)).options.filter(
    ({ field }) => field !== 'dryRun' && field !== 'newWebhookId',
  )
  command.argument('[delivery]', 'id of the delivery')
  for (const { option } of fields) command.addOption(option)
  if (name === 'resend') {
    command.option('--new-webhook-id', 'use a new id, so that receivers handle the event again')
  }
  command.option('--dry-run', `count what would be ${done}, and change nothing`)
  addServerOptions(command).action((delivery: string | undefined, options: Options) =>
    change(name, { filters: readFields(command, fields), delivery }, options),
  )
}

export const define = (command: Command): void => {
  defineChange(command, 'resend')
  const name = command.parent?.name() === 'deliveries' ? 'deliveries resend' : 'resend'
  addExamples(
    command,
    `${name} dlv_…`,
    `${name} --status exhausted,skipped --finished-from 2026-01-01T12:00:00Z --dry-run`,
  )
}

export const defineRetry = (command: Command): void => {
  defineChange(command, 'retry')
  addExamples(command, 'deliveries retry dlv_…', 'deliveries retry --subscription sub_… --dry-run')
}

export const defineCancel = (command: Command): void => {
  defineChange(command, 'cancel')
  addExamples(
    command,
    'deliveries cancel dlv_…',
    'deliveries cancel --subscription sub_… --before 2026-01-01T00:00:00Z --dry-run',
  )
}
