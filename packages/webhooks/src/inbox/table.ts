import type { SqlTableOptions } from '../dedupe/sql-dedupe.ts'
import { WebhookUsageError } from '../errors.ts'
import { readProperty, type SqlDialect } from '../sql/sql-database.ts'
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
  /** The column types. Text of the type `text` is compared character by character; MySQL ignores spaces at its end. */
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

/** Returns the name of a table without its schema. */
export const toName = (table: string): string => table.slice(table.indexOf('.') + 1)

const toIndexes = (table: string, dialect: SqlDialect) => {
  // SQLite takes the schema with the name of the index, PostgreSQL with the name of the table.
  const name = toName(table)
  const [index, on] = dialect === 'sqlite' ? [table, name] : [name, table]
  return `
);
CREATE INDEX IF NOT EXISTS ${index}_due ON ${on} (state, due_at, id);
CREATE INDEX IF NOT EXISTS ${index}_subject ON ${on} (subject, state);
CREATE INDEX IF NOT EXISTS ${index}_erased ON ${on} (fact) WHERE state = 'erased'`
}

/** Returns the statements that create the table and its indexes, unless they exist. All times are Unix milliseconds. */
const toStatements = (table: string, dialect: SqlDialect): string => {
  const { id, text, longText, bytes } = inboxSyntaxes[dialect]
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
  body ${bytes}${dialect === 'mysql' ? toKeys(toName(table)) : toIndexes(table, dialect)}`
}

/**
 * Returns the statements that create the table of {@link sqlInbox} if it does not exist, for your migrations.
 *
 * @throws WebhookUsageError for an unknown option or dialect.
 * @throws RangeError when `table` is not a plain identifier, with or without a schema.
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

/** Codes with which PostgreSQL and MySQL deny what a user may not do. */
const denials = ['42501', 'ER_TABLEACCESS_DENIED_ERROR', 'ER_DBACCESS_DENIED_ERROR']

/** Makes an engine create the table before the first statement that uses it, and again after it was dropped. */
export const createTableFirst = (engine: InboxEngine, table: string): InboxEngine => {
  const name = toName(table)
  let created: Promise<unknown> | undefined
  const create = async (): Promise<void> => {
    try {
      await engine.create(toStatements(table, engine.dialect))
    } catch (cause) {
      if (!denials.includes(String(readProperty(cause, 'code')))) throw cause
      throw new WebhookUsageError(
        `The user of the database may not create the table ${table}, or may not use it. Create it in a migration with the ` +
          'statements of sqlInboxTable(), and grant SELECT, INSERT, UPDATE and DELETE.',
        { cause },
      )
    }
  }
  const ready = async (): Promise<void> => {
    created ??= create()
    const current = created
    try {
      await current
    } catch (error) {
      if (created === current) created = undefined
      throw error
    }
  }
  const whenReady = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    await ready()
    const before = created
    try {
      return await work()
    } catch (error) {
      // Another table may be missing, such as one that a trigger uses.
      const isDropped = engine.isMissingTable(error) && String(readProperty(error, 'message')).includes(name)
      if (!isDropped) throw error
      if (created === before) {
        created = undefined
        console.warn(`${table} was dropped, with all events in it. The inbox creates it again.`)
      }
      await ready()
      return work()
    }
  }
  return {
    ...engine,
    run: (...statement) => whenReady(() => engine.run(...statement)),
    isDue: (condition) => whenReady(() => engine.isDue(condition)),
    claim: (claiming) => whenReady(() => engine.claim(claiming)),
    postpone: (postponing) => whenReady(() => engine.postpone(postponing)),
    query: (...statement) => whenReady(() => engine.query(...statement)),
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
