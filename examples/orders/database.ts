import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { type Inbox, type InboxContext, type SqlInboxOptions, sqlInbox } from 'wabakit/webhooks'

/** A value that both databases store. */
type Value = string | null

export type Row = { readonly [column: string]: unknown }

/** The context of a handler, on either database. */
export type Context = InboxContext<pg.PoolClient, DatabaseSync>

/** The application's database, which also holds the inbox. */
export type Database = {
  readonly inbox: Inbox<Context>
  /** Runs a statement now. */
  query(text: string, ...values: readonly Value[]): Promise<readonly Row[]>
  /** Runs a statement together with the completion of an event: exactly once, whatever happens in between. */
  write(context: Context, text: string, ...values: readonly Value[]): Promise<void>
  close(): Promise<void>
}

const tables = `
  CREATE TABLE IF NOT EXISTS orders (
    id text PRIMARY KEY, title text NOT NULL, state text NOT NULL, invite_link text
  );
  CREATE TABLE IF NOT EXISTS summaries (call_id text PRIMARY KEY, customer text NOT NULL, recap text NOT NULL);
  CREATE TABLE IF NOT EXISTS rings (call_id text PRIMARY KEY, unanswered integer NOT NULL)`

const openSqlite = (file: string, options: SqlInboxOptions): Database => {
  const sqlite = new DatabaseSync(file, { timeout: 5_000 })
  // FULL, so that acknowledged events also survive a power failure.
  sqlite.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${tables}`)
  const bind = (values: readonly Value[]) =>
    Object.fromEntries(values.map((value, index) => [`$${index + 1}`, value]))
  return {
    inbox: sqlInbox(sqlite, { dialect: 'sqlite', ...options }),
    query: async (text, ...values) => sqlite.prepare(text).all(bind(values)),
    write: async ({ atCompletion }, text, ...values) =>
      atCompletion((database) => database.prepare(text).run(bind(values))),
    close: async () => sqlite.close(),
  }
}

const openPostgres = async (url: string, options: SqlInboxOptions): Promise<Database> => {
  const pool = new pg.Pool({ connectionString: url })
  pool.on('error', (error) => console.error('A connection broke.', error))
  await pool.query(tables)
  return {
    inbox: sqlInbox(pool, options),
    query: async (text, ...values) => (await pool.query<Row>(text, [...values])).rows,
    write: async ({ transaction }, text, ...values) => {
      const client = await transaction()
      await client.query(text, [...values])
    },
    close: () => pool.end(),
  }
}

/** Opens a SQLite file or, by its URL, a PostgreSQL database. */
export const openDatabase = async (name: string, options: SqlInboxOptions = {}): Promise<Database> =>
  name.startsWith('postgres') ? openPostgres(name, options) : openSqlite(name, options)
