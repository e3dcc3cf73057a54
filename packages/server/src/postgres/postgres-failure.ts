import { RecordNotFoundError, StorageUnavailableError } from '@wabakit/core'
import pg from 'pg'

/**
 * SQLSTATE classes (https://www.postgresql.org/docs/current/errcodes-appendix.html) of what is no fault of the
 * statement: connection, transaction rollback, resources, lock or state of an object, intervention, system, internal.
 */
const unavailable: ReadonlySet<string> = new Set(['08', '40', '53', '55', '57', '58', 'XX'])

/** A server that was demoted to a standby writes nothing; the next connection finds the new primary. */
const readOnly = '25006'

/** Raised by our own functions: there is no organization of the id in the detail. */
const noOrganization = 'WK404'

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

const isAnswer = (error: unknown): error is pg.DatabaseError => error instanceof pg.DatabaseError

/** What broke a connection or a statement, as the {@link StorageUnavailableError} that stores throw. */
export const toUnavailable = (cause: unknown): StorageUnavailableError => {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new StorageUnavailableError(`PostgreSQL did not do it: ${sentence(reason)}`, { cause })
}

/**
 * An error of a statement as stores throw it. What PostgreSQL did not answer at all (a lost connection, a time limit)
 * may have been committed; it counts as unavailable, too.
 */
export const toStorageError = (error: unknown): unknown => {
  if (!isAnswer(error)) return toUnavailable(error)
  const { code = '' } = error
  if (code === noOrganization) return new RecordNotFoundError('organization', error.detail ?? '')
  return code === readOnly || unavailable.has(code.slice(0, 2)) ? toUnavailable(error) : error
}

/** Deadlock, a lock that was not to be had in time, no room for more locks: fewer at once may fare better. */
const locks: ReadonlySet<string> = new Set(['40P01', '55P03', '53200'])

/** Tells whether a statement failed because of the locks that it needed. */
export const isLocked = (error: unknown): boolean =>
  error instanceof StorageUnavailableError && isAnswer(error.cause) && locks.has(error.cause.code ?? '')
