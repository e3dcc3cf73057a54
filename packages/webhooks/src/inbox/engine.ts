import { WebhookUsageError } from '../errors.ts'

/** A kind of database that an inbox can be in. */
export type InboxDialect = 'postgresql' | 'sqlite' | 'mysql'

/** A value of a statement. */
export type InboxValue = string | number | null | Uint8Array

/** A statement with a `?` for each value. */
export type Statement = { readonly text: string; readonly values: readonly InboxValue[] }

/** The rows that a statement returned, and the number of rows that it returned or changed. */
export type Outcome = { readonly rows: readonly unknown[]; readonly count: number }

/** The right to handle an entry. The token is different for every claim. */
export type Claim = { readonly id: string; readonly token: string }

/** Taking rows: those that are picked get a token and other values. */
export type Claiming = {
  readonly table: string
  readonly token: string
  /** Selects `id`, `state` and `due_at`. */
  readonly pick: Statement
  /** The assignments, except that of the token. */
  readonly set: Statement
  /** The expressions to return of each row. */
  readonly columns: string
}

/** Returns a claim as one statement. */
export const toClaim = ({ table, token, pick, set, columns }: Claiming): Statement => ({
  text: `WITH picked AS MATERIALIZED (${pick.text})
    UPDATE ${table} SET ${set.text}, token = ? WHERE id IN (SELECT id FROM picked) RETURNING ${columns}`,
  values: [...pick.values, ...set.values, token],
})

/** The effects of one attempt that are written together with its completion. */
export type Effects<Client, Database> = {
  readonly transaction: () => Promise<Client>
  readonly atCompletion: (write: (database: Database) => unknown) => void
  /**
   * Runs the completion and what handlers asked to run with it, in one transaction. Returns whether the claim was held,
   * or `undefined` when there is nothing to run with it.
   */
  readonly complete: (completion: Statement) => Promise<boolean | undefined>
  /** Undoes everything. A handler that is still running cannot write any more. */
  readonly abandon: () => void
}

/** The database operations of an inbox. Each kind of database has its own. */
export type InboxEngine<Client, Database> = {
  readonly dialect: InboxDialect
  /** Runs a statement on the inbox's own connection, which handlers cannot occupy. Rejects after a few seconds. */
  readonly run: (statement: Statement) => Promise<Outcome>
  /** Runs a claim, one process at a time, so that no two of them see the same lane as free. Returns the rows. */
  readonly claim: (claiming: Claiming) => Promise<readonly unknown[]>
  /** Runs a statement that may take its time, on any connection. */
  readonly query: (statement: Statement) => Promise<Outcome>
  /** Creates the table. */
  readonly create: (text: string) => Promise<unknown>
  /** Keeps the own connection until the returned function is called. */
  readonly hold: () => () => Promise<void>
  /** The expression that wakes other processes, where the database has one. */
  readonly announcement: string | undefined
  /** Calls a function when another process has stored something, until the returned function is called. */
  readonly listen: (wake: () => void) => () => void
  /** Starts an attempt. */
  readonly begin: () => Effects<Client, Database>
  /** Finds a setting with which the database acknowledges before it syncs. */
  readonly findWeakness: () => Promise<string | undefined>
  /** Checks whether a statement that failed may succeed a moment later: the database could not be reached, or was busy. */
  readonly isTransient: (error: unknown) => boolean
}

/** @throws WebhookUsageError, because the database cannot do this. */
export const refuse = (message: string): never => {
  throw new WebhookUsageError(message)
}
