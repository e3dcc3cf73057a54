import { readProperty, type SqlDialect } from '../dedupe/sql-database.ts'
import type { SqlTableOptions } from '../dedupe/sql-dedupe.ts'
import { assertOptions, assertTableName } from '../usage.ts'
import { type InboxEngine, refuse } from './engine.ts'

/** Options for {@link sqlInboxTable}. @interface */
export type SqlInboxTableOptions = Pick<SqlTableOptions, 'dialect'> & {
  /**
   * Name of the table, optionally with its schema.
   * @default 'wabakit_inbox'
   */
  readonly table?: string | undefined
}

export const defaultTable = 'wabakit_inbox'

/** The parts of the syntax in which dialects differ. */
type Syntax = {
  /** The current Unix time in milliseconds according to the database's clock, constant within a statement. */
  readonly now: string
  /** The column types. Text is compared byte by byte. */
  readonly id: string
  readonly text: string
  readonly longText: string
  readonly bytes: string
  /** Locks the rows of a claim, and skips rows that are being completed. */
  readonly lock: string
}

export const inboxSyntaxes: Readonly<Record<SqlDialect, Syntax>> = {
  postgresql: {
    now: `(extract(epoch FROM statement_timestamp()) * 1000)::bigint`,
    id: 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
    text: 'text COLLATE "C"',
    longText: 'text',
    bytes: 'bytea',
    lock: 'FOR NO KEY UPDATE OF r SKIP LOCKED',
  },
  sqlite: {
    now: `CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
    id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    text: 'TEXT',
    longText: 'TEXT',
    bytes: 'BLOB',
    lock: '',
  },
  mysql: {
    // UNIX_TIMESTAMP(NOW()) would depend on the session's time zone.
    now: `(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)`,
    id: 'bigint NOT NULL AUTO_INCREMENT PRIMARY KEY',
    text: 'varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
    longText: 'mediumtext CHARACTER SET utf8mb4',
    bytes: 'longblob',
    // The engine picks the rows first, and locks them with a second statement.
    lock: '',
  },
}

/** Returns the indexes as a part of CREATE TABLE, because MySQL has no CREATE INDEX IF NOT EXISTS. */
const toKeys = (name: string) => `,
  KEY ${name}_due (state, due_at, id),
  KEY ${name}_subject (subject, state),
  KEY ${name}_fact (fact)
) ENGINE = InnoDB`

const toIndexes = (table: string, name: string) => `
);
CREATE INDEX IF NOT EXISTS ${name}_due ON ${table} (state, due_at, id);
CREATE INDEX IF NOT EXISTS ${name}_subject ON ${table} (subject, state);
CREATE INDEX IF NOT EXISTS ${name}_erased ON ${table} (fact) WHERE state = 'erased'`

/** Returns the statements that create the table and its indexes, unless they exist. All times are Unix milliseconds. */
const toStatements = (table: string, dialect: SqlDialect): string => {
  const { id, text, longText, bytes } = inboxSyntaxes[dialect]
  const name = table.slice(table.indexOf('.') + 1)
  return `CREATE TABLE IF NOT EXISTS ${table} (
  id ${id},
  event_key ${text} NOT NULL UNIQUE,
  source ${text} NOT NULL,
  delivery_id ${text},
  name ${text},
  fact ${text},
  subject ${text},
  state ${dialect === 'mysql' ? 'varchar(20) CHARACTER SET ascii' : text} NOT NULL,
  reason ${text},
  error ${longText},
  attempts integer NOT NULL DEFAULT 0,
  token ${text},
  due_at bigint NOT NULL,
  holds_until bigint,
  received_at bigint NOT NULL,
  sent_at bigint,
  headers ${longText},
  body ${bytes}${dialect === 'mysql' ? toKeys(name) : toIndexes(table, name)}`
}

/**
 * Returns the statements that create the table of {@link sqlInbox} if it does not exist, for your migrations.
 *
 * @throws WebhookUsageError for an unknown option or dialect.
 * @throws RangeError when `table` is not a plain identifier.
 * @example
 * await pool.query(sqlInboxTable())
 * database.exec(sqlInboxTable({ dialect: 'sqlite' }))
 */
export const sqlInboxTable = (options: SqlInboxTableOptions = {}): string => {
  assertOptions('sqlInboxTable()', options, ['table', 'dialect'])
  const { table = defaultTable, dialect = 'postgresql' } = options
  if (!Object.hasOwn(inboxSyntaxes, dialect)) refuse(`"${dialect}" is not a dialect of sqlInboxTable().`)
  assertTableName(table)
  return toStatements(table, dialect)
}

/** Makes an engine create the table before its first statement. */
export const createTableFirst = (engine: InboxEngine, table: string): InboxEngine => {
  let created: Promise<unknown> | undefined
  const ready = async (): Promise<void> => {
    created ??= engine.create(toStatements(table, engine.dialect))
    try {
      await created
    } catch (error) {
      created = undefined
      throw error
    }
  }
  return {
    ...engine,
    run: (...statement) => ready().then(() => engine.run(...statement)),
    claim: (claiming) => ready().then(() => engine.claim(claiming)),
    query: (...statement) => ready().then(() => engine.query(...statement)),
    // If the inbox cannot use the driver, a retry fails in the same way.
    isTransient: (error) => readProperty(error, 'name') !== 'WebhookUsageError' && engine.isTransient(error),
  }
}

/** The context of all operations of an inbox. */
export type InboxTable = {
  readonly table: string
  readonly engine: InboxEngine
  readonly retention: Readonly<Record<'handledBodyMs' | 'parkedBodyMs' | 'keyMs', number>>
  /** Returns the SQL expression for the current Unix time in milliseconds. */
  readonly now: () => string
}
