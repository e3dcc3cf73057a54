import { escapeControls } from '@wabakit/wire'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { CliError, exitCodes } from './cli-error.ts'
import { type ControlClient, createControlClient, getOrganizationPath } from './control-client.ts'
import { addExamples, addServerOptions, collect, createOption, type ServerOptions } from './options.ts'
import { createOutput, type Output } from './output.ts'
import { readPages } from './read-pages.ts'

type ResendOptions = ServerOptions & {
  readonly from?: string | undefined
  readonly before?: string | undefined
  readonly event?: string | undefined
  readonly subscription?: string | undefined
  readonly status?: readonly string[] | undefined
  readonly name?: string | undefined
  readonly number?: string | undefined
  readonly call?: string | undefined
  readonly group?: string | undefined
  readonly text?: string | undefined
  readonly newWebhookId?: boolean | undefined
  readonly dryRun?: boolean | undefined
}

/** A claimed or waiting delivery cannot be resent. */
const statuses = ['pending', 'delivered', 'exhausted', 'skipped']

const parseTime = (text: string): string => {
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw new InvalidArgumentError('It must be an ISO 8601 date-time.')
  return new Date(time).toISOString()
}

const collectStatus = (value: string, previous?: readonly string[]): string[] => {
  if (!statuses.includes(value)) throw new InvalidArgumentError(`It must be one of: ${statuses.join(', ')}.`)
  return collect(value, previous)
}

type Found = { readonly status?: unknown; readonly subscriptionId?: unknown }

const listEnabled = async (control: ControlClient, organization: string): Promise<ReadonlySet<unknown>> => {
  const path = `${getOrganizationPath(organization)}/subscriptions`
  const subscriptions = await readPages(control, path, { limit: Infinity })
  return new Set(subscriptions.flatMap(({ id, enabled }) => (enabled === true ? [id] : [])))
}

const isResendable = ({ status, subscriptionId }: Found, enabled: ReadonlySet<unknown>): boolean =>
  statuses.some((each) => each === status) && enabled.has(subscriptionId)

const resend = async (id: string | undefined, options: ResendOptions, output: Output): Promise<void> => {
  const { newWebhookId = false, organization } = options
  const selection = {
    from: options.from,
    before: options.before,
    event: options.event,
    subscription: options.subscription,
    status: options.status?.join(','),
    name: options.name,
    number: options.number,
    call: options.call,
    group: options.group,
    text: options.text,
  }
  const hasSelection = Object.values(selection).some((value) => value !== undefined)
  if (hasSelection === (id !== undefined)) {
    throw new CliError(
      'Name one delivery, or select deliveries with filters such as --status, --subscription or --from.',
      exitCodes.usage,
    )
  }
  const control = createControlClient(options)
  // Without deliveries, the server would not say that there is no such organization.
  await control.send('GET', getOrganizationPath(organization))
  const path = `${getOrganizationPath(organization)}/deliveries`
  if (options.dryRun) {
    const found =
      id === undefined
        ? await readPages(control, path, { ...selection, limit: Infinity })
        : [(await control.send('GET', `${path}/${encodeURIComponent(id)}`)) as Found]
    const enabled = await listEnabled(control, organization)
    const resent = found.filter((each) => isResendable(each, enabled)).length
    output.result(
      { resent, dryRun: true },
      `${resent} ${resent === 1 ? 'delivery' : 'deliveries'} would be sent again`,
    )
    return
  }
  const result = (await (id === undefined
    ? control.send('POST', `${path}/resend`, { ...selection, newWebhookId })
    : control.send('POST', `${path}/${encodeURIComponent(id)}/resend`, { newWebhookId }))) as {
    resent: number
  }
  output.result(
    result,
    escapeControls(`${result.resent} ${result.resent === 1 ? 'delivery is' : 'deliveries are'} sent again`),
  )
}

export const define = (command: Command): void => {
  command
    .argument('[delivery]', 'id of the delivery')
    .addOption(createOption('--from <time>', 'events at or after this time (ISO 8601)').argParser(parseTime))
    .addOption(createOption('--before <time>', 'events before this time (ISO 8601)').argParser(parseTime))
    .addOption(createOption('--event <id>', 'deliveries of this event'))
    .addOption(createOption('--subscription <id>', 'deliveries to this subscription'))
    .addOption(
      createOption('--status <status>', `${statuses.join(', ')} (repeatable)`).argParser(collectStatus),
    )
    .addOption(new Option('--name <names>', 'names of events, separated by commas'))
    .addOption(new Option('--number <number>', "one of the organization's numbers"))
    .addOption(new Option('--call <id>', 'deliveries of this call'))
    .addOption(new Option('--group <id>', 'deliveries of this group'))
    .addOption(new Option('--text <text>', 'a part of the payload'))
    .addOption(new Option('--dry-run', 'count what would be sent again, and send nothing'))
    .addOption(createOption('--new-webhook-id', 'use a new id, so that receivers handle the event again'))
  addServerOptions(command).action((id, options) => resend(id, options, createOutput(options)))
  const name = command.parent?.name() === 'deliveries' ? 'deliveries resend' : 'resend'
  addExamples(command, `${name} dlv_…`, `${name} --status exhausted --from 2026-01-01T00:00:00Z --dry-run`)
}
