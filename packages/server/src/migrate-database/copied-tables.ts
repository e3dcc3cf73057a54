import { columns, type Kind, type TableName, toSnakeCase } from '../stores/columns.ts'

/** A table to copy: its name and columns in PostgreSQL, and where they come from in SQLite. */
export type CopiedTable = {
  /** Its name in PostgreSQL. */
  readonly name: string
  /** The tables that SQLite reads it from. */
  readonly from: string
  /** The columns of the key in SQLite. Rows are read in the order of the key, by an index. */
  readonly key: readonly string[]
  /**
   * The columns in PostgreSQL, except those that it numbers itself, each with an SQLite expression. `json_object` turns
   * the expression into the value that `row_to_json` returns in PostgreSQL.
   */
  readonly columns: Readonly<Record<string, string>>
}

/** PostgreSQL stores `'all'` as null. */
const expressions: Readonly<Record<Kind, (column: string) => string>> = {
  text: (column) => column,
  integer: (column) => column,
  real: (column) => column,
  flag: (column) => `json(case ${column} when 1 then 'true' when 0 then 'false' end)`,
  json: (column) => `json(${column})`,
  names: (column) => `json(nullif(${column}, '"all"'))`,
}

const copyRecord = (table: TableName): Record<string, string> =>
  Object.fromEntries(
    Object.entries<Kind>(columns[table]).map(([field, kind]) => [
      toSnakeCase(field),
      expressions[kind](field),
    ]),
  )

const copyTable = (
  table: TableName,
  key: readonly string[],
  others: Readonly<Record<string, string>> = {},
): CopiedTable => ({
  name: toSnakeCase(table),
  from: table,
  key,
  columns: { ...copyRecord(table), ...others },
})

/** All tables, in the order in which they are copied. */
export const copiedTables: readonly CopiedTable[] = [
  copyTable('organizations', ['seq'], { position: 'seq' }),
  copyTable('apiKeys', ['seq'], { position: 'seq' }),
  copyTable('groups', ['organizationId', 'clientCustomGroupId'], { active_at: 'activeAt' }),
  copyTable('participants', ['organizationId', 'groupId', 'digits']),
  copyTable('calls', ['organizationId', 'callId']),
  copyTable('summaries', ['organizationId', 'callId']),
  copyTable('summaryMarks', ['organizationId', 'hash']),
  copyTable('subscriptions', ['seq'], { position: 'seq', pace: 'pace' }),
  copyTable('events', ['seq'], { position: 'seq' }),
  {
    name: 'deliveries',
    from: 'deliveries d join events e on e.seq = d.event',
    key: ['d.event', 'd.subscription'],
    columns: {
      organization_id: 'd.organizationId',
      subscription: 'd.subscription',
      event: 'd.event',
      event_name: 'e.name',
      subject: 'd.subject',
      webhook_id: 'd.webhookId',
      status: 'd.status',
      holds_lane: expressions.flag(`(d.laneState is 'holding')`),
      due_at: 'd.dueAt',
      claim_id: 'null',
      worker: 'null',
      attempts: 'd.attempts',
      failures: 'd.failures',
      deferrals: 'd.deferrals',
      deferred_ms: 'd.deferredMs',
      finished_at: 'd.finishedAt',
    },
  },
  copyTable('attempts', ['event', 'subscription', 'number'], {
    event: 'event',
    subscription: 'subscription',
  }),
]
