import type { Operation } from '@wabakit/core/control'
import type { Command } from 'commander'
import type { Delivery, ListedCall, ListedSubscription, Page } from '../control-types.ts'
import { assign } from './assign.ts'
import { toCallRows } from './call-rows.ts'
import { checkFilters } from './check-filters.ts'
import { confirm, createYesOption } from './confirm.ts'
import { type ControlClient, createControlClient } from './control-client.ts'
import { toDeliveryRows } from './delivery-rows.ts'
import {
  findOperation,
  listFieldOptions,
  listPathParameters,
  readFields,
  toPhrase,
} from './operation-options.ts'
import { addExamples, addServerOptions, collect, type ServerOptions } from './options.ts'
import { CliError, createOutput, exitCodes, type Output } from './output.ts'
import type { ResourceCommand } from './resources.ts'
import { formatRecord, formatValue, printTable } from './table.ts'

type Options = ServerOptions & {
  readonly set?: readonly string[]
  readonly dryRun?: boolean
  readonly yes?: boolean
}
type Json = Readonly<Record<string, unknown>>
type Call = { readonly args: readonly string[]; readonly fields: Json; readonly options: Options }

const buildPath = ({ path }: Operation, organization: string, args: readonly string[]): string => {
  const values = [...args]
  return path.replaceAll(/:(\w+)/g, (_, name) =>
    encodeURIComponent(name === 'organizationId' ? organization : (values.shift() ?? '')),
  )
}

const printResult = ({ field }: ResourceCommand, result: unknown, output: Output): void => {
  const record: Json = { ...(result as object) }
  output.result(record, field === undefined ? formatRecord(record) : formatValue(record[field]))
}

/** Reads pages of a list until there are `limit` records, or the list ends. */
const readPages = async <Item = Json>(
  control: ControlClient,
  path: string,
  filters: Json,
): Promise<Item[]> => {
  const wanted = Number(filters.limit)
  const found: Item[] = []
  for (let cursor: string | undefined; ; ) {
    const query = new URLSearchParams()
    const page = { ...filters, cursor, limit: Math.min(1_000, wanted - found.length) }
    for (const [name, value] of Object.entries(page)) if (value !== undefined) query.set(name, String(value))
    const { items, nextCursor } = (await control.send('GET', `${path}?${query}`)) as Page<Item>
    found.push(...items)
    cursor = nextCursor
    if (cursor === undefined || found.length >= wanted) return found.slice(0, wanted)
  }
}

const nameDeliveries = async (
  control: ControlClient,
  deliveries: readonly Json[],
  { organization }: Pick<ServerOptions, 'organization'>,
): Promise<Json[]> => {
  const path = `/organizations/${encodeURIComponent(organization)}/subscriptions`
  const subscriptions = await readPages<ListedSubscription>(control, path, { limit: Infinity })
  return toDeliveryRows(deliveries as readonly Delivery[], subscriptions)
}

/** Converts records to what their table shows. */
const toRows = async (
  { id }: Operation,
  found: readonly Json[],
  { control, options }: { readonly control: ControlClient; readonly options: ServerOptions },
): Promise<readonly Json[]> => {
  if (id === 'listDeliveries') return nameDeliveries(control, found, options)
  return id === 'listCalls' ? toCallRows(found as readonly ListedCall[]) : found
}

/** Checks that a record exists. This is all that a dry run of a removal can check. */
const checkExists = async (
  control: ControlClient,
  operation: Operation,
  { path, id }: { readonly path: string; readonly id: string },
): Promise<void> => {
  if (operation.id !== 'removeApiKey') {
    await control.send('GET', path)
    return
  }
  // No operation reads a single key.
  const keys = await readPages(control, path.slice(0, path.lastIndexOf('/')), { limit: Infinity })
  if (!keys.some((key) => key.id === id)) throw new CliError(`There is no key ${JSON.stringify(id)}.`)
}

const run = async (entry: ResourceCommand, { args, fields, options }: Call): Promise<void> => {
  const operation = findOperation(entry.operation)
  const output = createOutput(options)
  const control = createControlClient(options)
  const path = buildPath(operation, options.organization, args)
  const { organization, ...given } = fields
  // No body has an organization: if it is not in the path, it is in the query.
  const target =
    organization === undefined
      ? path
      : `${path}?${new URLSearchParams({ organization: String(organization) })}`
  if (operation.method === 'GET') {
    if (entry.columns === undefined) return printResult(entry, await control.send('GET', path), output)
    const order =
      operation.id === 'listEvents' || operation.id === 'listDeliveries' ? 'newest_first' : undefined
    // A list without a query is complete, and its command has no `--limit`.
    const limit = operation.query === undefined ? Infinity : 50
    const found = await readPages(control, path, { order, limit, ...fields })
    if (found.length === 0) await checkFilters(fields, options)
    const isTable = output.format === 'pretty' && found.length > 0
    const rows = isTable ? await toRows(operation, found, { control, options }) : found
    return printTable(output, rows, entry.columns)
  }
  if (operation.method === 'DELETE') {
    const id = args.join(' ') || (operation.id === 'clearFaults' ? 'all faults' : options.organization)
    if (!options.dryRun) {
      // Removing a test's faults needs no confirmation.
      if (operation.id !== 'clearFaults')
        await confirm(`Remove ${formatValue(id)}, and what belongs to it?`, options)
      await control.send('DELETE', target)
      return output.result({ done: true }, `removed ${formatValue(id)}`)
    }
    await checkExists(control, operation, { path: target, id })
    return output.result({ dryRun: true, path }, `would remove ${formatValue(id)}`)
  }
  const body = operation.body === undefined ? undefined : assign(given, options.set ?? [])
  if (operation.method === 'PATCH' && Object.keys(body ?? {}).length === 0) {
    throw new CliError('Nothing to change. See the options of this command.', exitCodes.usage)
  }
  printResult(entry, await control.send(operation.method, target, body), output)
}

const defineCommand = (command: Command, entry: ResourceCommand): void => {
  const operation = findOperation(entry.operation)
  command.description(entry.summary ?? toPhrase(operation.summary))
  for (const name of listPathParameters(operation)) command.argument(`<${name}>`)
  const { options: all, others } = listFieldOptions(operation)
  // Every command has `--organization`.
  const options = all.filter(({ field }) => field !== 'organization')
  for (const { option } of options) command.addOption(option)
  if (others.length > 0)
    command.option('--set <path=value>', `set another field: ${others.join(', ')} (repeatable)`, collect)
  if (operation.method === 'DELETE') {
    command.option('--dry-run', 'print what would be removed, and remove nothing')
    if (operation.id !== 'clearFaults') command.addOption(createYesOption())
  }
  addServerOptions(command).action(async () => {
    const given = command.opts<Options>()
    const { organization } = given
    const isNamed = command.getOptionValueSource('organization') !== 'default'
    if (operation.id === 'removeOrganization' && !isNamed) {
      const message = `Name the organization that is removed, with everything that it owns: --organization ${organization}`
      throw new CliError(message, exitCodes.usage)
    }
    const byOrganization = isNamed && options.length < all.length && { organization }
    const fields = { ...byOrganization, ...readFields(command, options) }
    await run(entry, { args: command.args, fields, options: given })
  })
  addExamples(command, ...entry.examples)
}

export const defineResource = (
  parent: Command,
  commands: Readonly<Record<string, ResourceCommand>>,
): void => {
  for (const [name, entry] of Object.entries(commands)) defineCommand(parent.command(name), entry)
  addExamples(parent, ...Object.values(commands).flatMap(({ examples }) => examples.slice(0, 1)))
}
