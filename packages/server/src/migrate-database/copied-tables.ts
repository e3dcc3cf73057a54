import {
  columns,
  type Kind,
  keptColumns,
  progressColumns,
  type TableName,
  toSnakeCase,
} from '../stores/columns.ts'

/** A table to copy: its name and columns in PostgreSQL, and their sources in SQLite. */
export type CopiedTable = {
  readonly name: string
  /** The table, or the subquery, that returns its rows in SQLite. */
  readonly from: string
  /** The key's columns in SQLite. Rows are read in key order, using an index. */
  readonly key: readonly string[]
  /**
   * The columns in PostgreSQL, each with the SQLite expression for its value. Columns that PostgreSQL computes
   * are omitted. `json_object` turns the expression into the same value that `row_to_json` returns in PostgreSQL.
   */
  readonly columns: Readonly<Record<string, string>>
  /** Columns that PostgreSQL computes from a row `r`, with their expressions. */
  readonly computed?: Readonly<Record<string, string>>
}

/**
 * Functions that return the SQLite expression for the value of a column, by kind. PostgreSQL stores `'all'` as null.
 */
const expressions: Readonly<Record<Kind, (column: string) => string>> = {
  text: (column) => column,
  integer: (column) => column,
  real: (column) => column,
  flag: (column) => `json(case ${column} when 1 then 'true' when 0 then 'false' end)`,
  json: (column) => `json(${column})`,
  names: (column) => `json(nullif(${column}, '"all"'))`,
}

const copyColumns = (copied: Readonly<Record<string, Kind>>, prefix = ''): Record<string, string> =>
  Object.fromEntries(
    Object.entries(copied).map(([field, kind]) => [
      toSnakeCase(field),
      expressions[kind](`${prefix}${field}`),
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
  columns: { ...copyColumns(columns[table]), ...others },
})

/** The columns that `unfinished_deliveries` and `deliveries` share. */
const deliveryColumns = {
  subscription: 'd.subscription',
  event: 'd.event',
  organization_id: 'd.organizationId',
  state: 'd.state',
  version: 'd.version',
  ...copyColumns(progressColumns, 'd.'),
  ...copyColumns(keptColumns, 'd.'),
}

/** All tables of records, in the order in which they are copied. */
export const copiedTables: readonly CopiedTable[] = [
  copyTable('organizations', ['position'], { position: 'position' }),
  copyTable('apiKeys', ['position'], { position: 'position' }),
  copyTable('groups', ['organizationId', 'clientCustomGroupId'], { active_at: 'activeAt' }),
  copyTable('participants', ['organizationId', 'groupId', 'digits']),
  copyTable('calls', ['organizationId', 'callId']),
  copyTable('summaries', ['organizationId', 'callId']),
  copyTable('summaryMarks', ['organizationId', 'hash']),
  copyTable('subscriptions', ['position'], { position: 'position', pace: 'pace' }),
  copyTable('events', ['position'], { position: 'position' }),
  {
    name: 'unfinished_deliveries',
    from: '(select * from deliveries where finishedAt is null) d',
    key: ['d.event', 'd.subscription'],
    columns: {
      ...deliveryColumns,
      waits: expressions.flag('(d.waitsFor is not null)'),
      due_at: 'd.dueAt',
    },
    computed: {
      lane: 'wabakit.lane_of(r.subscription, (SELECT e.subject FROM wabakit.events e WHERE e.position = r.event))',
    },
  },
  {
    name: 'deliveries',
    from: '(select * from deliveries where finishedAt is not null) d',
    key: ['d.event', 'd.subscription'],
    columns: { ...deliveryColumns, finished_at: 'd.finishedAt' },
  },
  copyTable('attempts', ['event', 'subscription', 'number'], {
    event: 'event',
    subscription: 'subscription',
  }),
  copyTable('figures', ['organizationId', 'subscriptionId', 'at', 'span']),
]
