import { WebhookUsageError } from '../errors.ts'
import type { Outcome, SqlDialect, SqlValue } from '../sql/sql-database.ts'

export type InboxValue = SqlValue | Uint8Array

/** A statement with a `?` for each value. */
export type Statement = { readonly text: string; readonly values: readonly InboxValue[] }

export type Run = (text: string, values?: readonly InboxValue[]) => Promise<Outcome>

export const toPlaceholders = (values: readonly unknown[]): string => values.map(() => '?').join(', ')

/** The right to handle an entry. Entries that the same statement claimed share a token. */
export type EntryClaim = { readonly id: string; readonly token: string }

/** A claim of rows: the rows that `pick` selects get a token and new values. */
export type Claiming = {
  readonly table: string
  readonly token: string
  /** A condition that every row that can be claimed meets. */
  readonly due: string
  /** Selects `id`, `state`, `due_at` and, for `next`, `subject`. */
  readonly pick: Statement
  /** The assignments, without the token. */
  readonly set: Statement
  /** The expressions to return for each row. */
  readonly columns: string
  /** Selects the ids of entries that become due because the entry before them in their lane is `picked`. */
  readonly next?: string
}

/** A change of due entries, which `pick` selects with their new `due_at`. */
export type Postponing = { readonly table: string; readonly due: string; readonly pick: string }

/** The effects of one attempt. They are written in the same transaction as the completion of the entry. */
export type Effects<Client, Database> = {
  readonly transaction: () => Promise<Client>
  readonly atCompletion: (write: (database: Database) => unknown) => void
  /**
   * Runs the completion and the writes that handlers added to it, in one transaction. Returns whether the
   * claim was held. If no handler has opened the transaction or added a write, returns `undefined`, and the caller has to run
   * the completion.
   */
  readonly complete: (completion: Statement) => Promise<boolean | undefined>
  /** Rolls everything back. A handler that is still running can no longer write. */
  readonly abandon: () => void
}

/** The database operations of an inbox. Each kind of database implements them. */
export type InboxEngine<Client = unknown, Database = unknown> = {
  readonly dialect: SqlDialect
  /** Returns the clause that makes the planner use the index of lanes, to put after the name of a table. Only on MySQL. */
  readonly byLane?: () => string
  /**
   * Runs a statement, on PostgreSQL and MySQL after all earlier ones, on a connection that neither handlers nor claims occupy.
   * Rejects if the database then does not respond within several seconds.
   */
  readonly run: Run
  /**
   * Checks a condition, which reads the table itself. On PostgreSQL and MySQL, also returns `true` if the database is read
   * only: the claim that follows fails, and reports it.
   */
  readonly isDue: (condition: string) => Promise<boolean>
  /**
   * Runs a claim and returns the rows. Only one process claims at a time, so that no two processes take the same lane.
   */
  readonly claim: (claiming: Claiming) => Promise<readonly unknown[]>
  /** Postpones entries while no process claims entries. Returns how many it has selected. */
  readonly postpone: (postponing: Postponing) => Promise<number>
  /** Runs a statement that may take a long time, on any connection. */
  readonly query: Run
  readonly create: (text: string) => Promise<unknown>
  /** Keeps the inbox's own connections open until the returned function is called. */
  readonly hold: () => () => Promise<void>
  /** The SQL expression that wakes other processes, if the database has one. */
  readonly announcement?: string
  /**
   * Calls a function when a process announces an entry, until the returned function is called. What is announced while there
   * is no connection is missed.
   */
  readonly listen?: (wake: () => void) => () => void
  /** Starts the effects of an attempt. Calls `onSilent` if their connection stops responding before the completion: the attempt is over. */
  readonly begin: (onSilent: (error: Error) => void) => Effects<Client, Database>
  /** Finds a setting that makes the database acknowledge commits before they are synced. */
  readonly findWeakness: () => Promise<string | undefined>
  /**
   * Checks whether a failed statement may succeed later, for example because the database could not be reached, was read only
   * or busy, or because of another transaction.
   */
  readonly isTransient: (error: unknown) => boolean
  /** Checks whether a statement failed because a table does not exist. */
  readonly isMissingTable: (error: unknown) => boolean
}

export const refuse = (message: string): never => {
  throw new WebhookUsageError(message)
}

/** The connections of a pool that an inbox keeps for itself: one to store, and one to claim. */
export const ownConnections = 2

export const assertPoolSize = (connections: number): void => {
  if (connections <= ownConnections)
    refuse(
      `An inbox needs a pool of at least ${ownConnections + 1} connections: one to store, one to claim, one for handlers. ` +
        `This pool has ${connections}.`,
    )
}

export const ignore = (): void => {}
