/** A kind of database. Use `mysql` for MariaDB, and `sqlite` for D1, Durable Objects, libSQL and Bun. */
export type SqlDialect = 'postgresql' | 'sqlite' | 'mysql'

type Syntax = {
  /** The column `key`, quoted where necessary. */
  readonly key: string
  readonly types: readonly [key: string, claimedBy: string, expiresAt: string]
  /** The current time by the database's clock. */
  readonly now: string
  /** Returns the time this many milliseconds from now. */
  readonly later: (milliseconds: string) => string
  /** The beginning and the end of an INSERT that does nothing if the key exists. */
  readonly insert: readonly [start: string, end: string]
  /** The end of a statement that returns a row for each row that it changes. */
  readonly returning: string
}

const returning = ' RETURNING 1'
const insert = ['INSERT INTO', ' ON CONFLICT (key) DO NOTHING RETURNING 1'] as const

export const syntaxes: Readonly<Record<SqlDialect, Syntax>> = {
  postgresql: {
    key: 'key',
    types: ['text', 'text', 'timestamptz'],
    now: 'clock_timestamp()',
    later: (milliseconds) => `clock_timestamp() + ${milliseconds}::float8 * interval '1 millisecond'`,
    insert,
    returning,
  },
  sqlite: {
    key: 'key',
    types: ['text', 'text', 'real'],
    now: `unixepoch('subsec') * 1000`,
    later: (milliseconds) => `unixepoch('subsec') * 1000 + ${milliseconds}`,
    insert,
    returning,
  },
  mysql: {
    key: '`key`',
    // The keys are bytes, because comparisons of text may ignore case and trailing spaces. Keys have at most 200
    // characters.
    types: ['varbinary(800)', 'varchar(36)', 'datetime(6)'],
    now: 'utc_timestamp(6)',
    later: (milliseconds) => `utc_timestamp(6) + INTERVAL ${milliseconds} * 1000 MICROSECOND`,
    insert: ['INSERT IGNORE INTO', ''],
    returning: '',
  },
}
