import type { InboxDialect } from './engine.ts'

/** The parts of the syntax in which dialects differ. */
type Syntax = {
  /** The current Unix time in milliseconds according to the database's clock, constant within a statement. */
  readonly now: string
  /** The column types. Text is compared byte by byte. */
  readonly id: string
  readonly text: string
  readonly longText: string
  readonly bytes: string
  /** Locks the rows of a claim, and skips those that are being completed. */
  readonly lock: string
}

export const inboxSyntaxes: Readonly<Record<InboxDialect, Syntax>> = {
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
    // Not UNIX_TIMESTAMP(NOW()), which depends on the session's time zone.
    now: `(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)`,
    id: 'bigint NOT NULL AUTO_INCREMENT PRIMARY KEY',
    text: 'varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
    longText: 'mediumtext CHARACTER SET utf8mb4',
    bytes: 'longblob',
    // The engine locks the rows that it has picked.
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
export const toInboxTable = (table: string, dialect: InboxDialect): string => {
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
