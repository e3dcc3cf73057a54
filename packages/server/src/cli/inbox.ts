import { statSync } from 'node:fs'
import { type InboxEntries, type InboxEntry, type InboxSelection, sqlInbox } from '@wabakit/webhooks'
import { type Command, Option } from 'commander'
import { isPostgres } from '../serve/open-store.ts'
import { confirm, createYesOption } from './confirm.ts'
import { addExamples, addOptions, createFormatOption, createNumberParser } from './options.ts'
import { CliError, createOutput, exitCodes, type Format } from './output.ts'
import { formatRecord, printTable } from './table.ts'

const states = [
  'stored',
  'claimed',
  'failed',
  'handled',
  'unhandled',
  'parked',
  'suppressed',
  'discarded',
  'missing',
  'unavailable',
  'given_up',
  'erased',
] as const satisfies readonly InboxEntry['state'][]

const reasons = ['failed', 'drifted', 'unknown', 'unreadable'] as const satisfies readonly Exclude<
  InboxEntry['reason'],
  undefined
>[]

type InboxOptions = { readonly database: string; readonly table: string; readonly format: Format }

type SelectionOptions = Pick<InboxSelection, 'state' | 'reason'> & {
  readonly event?: string
  readonly call?: string
  readonly group?: string
}

const toSelection = ({ state, reason, event, call, group }: SelectionOptions): InboxSelection => ({
  state,
  reason,
  name: event,
  callId: call,
  groupId: group,
})

const connectTimeoutMs = 10_000

// Messages omit the database's URL, because it may contain a password.
const assertTable = (found: boolean, table: string): void => {
  if (found) return
  const message = `The database has no table ${table}. Name the database of your receiver, or its table with --table.`
  throw new CliError(message, exitCodes.usage)
}

const usePostgres = async <Result>(
  { database, table }: InboxOptions,
  work: (inbox: InboxEntries) => Promise<Result>,
): Promise<Result> => {
  const [{ default: pg }, { createSocket }] = await Promise.all([
    import('pg'),
    import('../stores/postgres/socket.ts'),
  ])
  const pool = new pg.Pool({
    connectionString: database,
    max: 3,
    connectionTimeoutMillis: connectTimeoutMs,
    stream: () => createSocket(connectTimeoutMs),
  })
  pool.on('error', () => {})
  try {
    const { rows } = await pool.query('SELECT to_regclass($1) IS NOT NULL AS found', [table])
    assertTable(rows[0]?.found === true, table)
    return await work(sqlInbox(pool, { table }))
  } finally {
    await pool.end()
  }
}

const useSqlite = async <Result>(
  { database, table }: InboxOptions,
  work: (inbox: InboxEntries) => Promise<Result>,
): Promise<Result> => {
  if (/^[\w+]+:\/\//.test(database)) {
    throw new CliError('A database is a SQLite file or a postgres:// URL.', exitCodes.usage)
  }
  // Checks this first, because opening a missing file would create it.
  if (!statSync(database, { throwIfNoEntry: false })?.isFile())
    throw new CliError(`There is no file ${database}.`, exitCodes.usage)
  const { DatabaseSync } = await import('node:sqlite')
  const sqlite = new DatabaseSync(database, { timeout: 5_000 })
  try {
    const found = sqlite
      .prepare('SELECT 1 FROM sqlite_master WHERE type = ? AND name = ?')
      .get('table', table)
    assertTable(found !== undefined, table)
    return await work(sqlInbox(sqlite, { table, dialect: 'sqlite' }))
  } finally {
    sqlite.close()
  }
}

const useInbox = async <Result>(
  options: InboxOptions,
  work: (inbox: InboxEntries) => Promise<Result>,
): Promise<Result> => {
  try {
    return await (isPostgres(options.database) ? usePostgres : useSqlite)(options, work)
  } catch (cause) {
    if (cause instanceof CliError) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `The database cannot be used: ${reason}. Check --database and --table.`
    throw new CliError(message, exitCodes.unreachable, { cause })
  }
}

const parseLimit = createNumberParser(
  'a whole number above 0',
  (value) => Number.isInteger(value) && value > 0,
)

const addSelection = (command: Command): Command =>
  command
    .addOption(new Option('--state <state>', 'entries in this state').choices(states))
    .addOption(new Option('--reason <reason>', 'entries that are parked for this reason').choices(reasons))
    .option('--event <name>', 'entries of this event, such as CALL_ENDED')
    .option('--call <id>', 'entries of this call')
    .option('--group <id>', 'entries of this group')

const list = async (options: InboxOptions & SelectionOptions & { limit: number; after?: string }) => {
  const output = createOutput(options)
  const { limit, after } = options
  const entries = await useInbox(options, (inbox) => inbox.list(toSelection(options), { limit, after }))
  const columns = ['state', 'id', 'name', 'receivedAt', 'attempts', 'reason', 'subject', 'error']
  printTable(output, entries, columns)
  const last = entries.at(-1)
  if (last !== undefined && entries.length === limit) output.notice(`More: --after ${last.id}`)
}

const show = async (id: string, options: InboxOptions) => {
  const found = await useInbox(options, (inbox) => inbox.show(id))
  if (found === undefined) throw new CliError(`The inbox has no entry ${id}.`)
  const { body, receivedAt, sentAt, dueAt, ...entry } = found
  const shown = { ...entry, receivedAt, sentAt, dueAt, body: body && new TextDecoder().decode(body) }
  createOutput(options).result(shown, formatRecord(shown))
}

type ChangeOptions = InboxOptions & SelectionOptions & { readonly yes?: boolean }

/** @throws CliError when nothing is selected. */
const requireSelection = (ids: readonly string[], options: ChangeOptions): InboxSelection => {
  const selection = { ...toSelection(options), ...(ids.length > 0 && { id: ids }) }
  if (Object.values(selection).some((value) => value !== undefined)) return selection
  throw new CliError('Name entries, or select some, as with --state parked.', exitCodes.usage)
}

const retry = async (ids: readonly string[], options: ChangeOptions) => {
  const selection = requireSelection(ids, options)
  const retried = await useInbox(options, (inbox) => inbox.retry(selection))
  createOutput(options).result({ retried }, `${retried} will be handled again`)
}

const discard = async (ids: readonly string[], options: ChangeOptions) => {
  const selection = requireSelection(ids, options)
  await confirm('Discard these entries and forget their bodies?', options)
  const discarded = await useInbox(options, (inbox) => inbox.discard(selection))
  createOutput(options).result({ discarded }, `discarded ${discarded}`)
}

export const define = (inbox: Command): void => {
  const database = '--database ./orders.db'
  const define = (usage: string, summary: string, ...examples: readonly string[]): Command =>
    addOptions(addExamples(inbox.command(usage).description(summary), ...examples), {
      '--database <file or url>': {
        about: 'SQLite file or postgres:// URL of your application',
        isRequired: true,
      },
      '--table <name>': { about: 'table of the inbox', default: 'wabakit_inbox' },
    }).addOption(createFormatOption())
  const example = `inbox list ${database} --state parked`
  addSelection(define('list', 'list entries in the order of arrival', example))
    .option('--limit <number>', 'maximum number of entries', parseLimit, 100)
    .option('--after <id>', 'entries that arrived after this one')
    .action(list)
  define('show <id>', 'show an entry with its body', `inbox show 17 ${database}`).action(show)
  const retries = [`inbox retry 17 ${database}`, `inbox retry ${database} --reason failed`]
  addSelection(
    define('retry [ids...]', 'handle failed, unhandled, parked or suppressed entries again', ...retries),
  ).action(retry)
  const discards = [`inbox discard 17 ${database}`, `inbox discard ${database} --reason unknown --yes`]
  addSelection(define('discard [ids...]', 'give up entries, and forget their bodies', ...discards))
    .addOption(createYesOption())
    .action(discard)
  addExamples(inbox, example)
}
