import { RecordNotFoundError, StorageOutcomeUnknownError, StorageUnavailableError } from '@wabakit/core'
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

const reasonOf = (cause: unknown): string => sentence(cause instanceof Error ? cause.message : String(cause))

/** What prevented a statement, as the {@link StorageUnavailableError} that stores throw: nothing was changed. */
export const toUnavailable = (cause: unknown): StorageUnavailableError =>
  new StorageUnavailableError(`PostgreSQL did not do it: ${reasonOf(cause)}`, { cause })

const toOutcomeUnknown = (cause: unknown): StorageOutcomeUnknownError =>
  new StorageOutcomeUnknownError(
    `PostgreSQL did not confirm the change, which may have been committed or not: ${reasonOf(cause)}`,
    { cause },
  )

/** Deadlock, a lock that was not to be had in time, no room for more locks: fewer at once may fare better. */
const locks: ReadonlySet<string> = new Set(['40P01', '55P03', '53200'])

/** Codes of refusals that leave the connection as it is: besides locks, a serialization failure and a time limit. */
const refusals: ReadonlySet<string> = new Set([...locks, '40001', '57014', readOnly])

/**
 * Whether an answer refuses the statement, which was then rolled back. FATAL and PANIC end the connection, even after
 * a commit. A server may say them in its own language; codes that can come with them then count as such.
 */
const isRefusal = ({ severity, code = '' }: pg.DatabaseError): boolean => {
  if (severity === 'ERROR') return !code.startsWith('08')
  if (severity === 'FATAL' || severity === 'PANIC') return false
  return refusals.has(code) || !unavailable.has(code.slice(0, 2))
}

/**
 * An error of a statement as stores throw it.
 *
 * @param isCommitPossible - whether the statement, or its COMMIT, was on its way.
 */
export const toStorageError = (error: unknown, isCommitPossible: boolean): unknown => {
  if (!isAnswer(error) || !isRefusal(error)) {
    return isCommitPossible ? toOutcomeUnknown(error) : toUnavailable(error)
  }
  const { code = '' } = error
  if (code === noOrganization) return new RecordNotFoundError('organization', error.detail ?? '')
  return code === readOnly || unavailable.has(code.slice(0, 2)) ? toUnavailable(error) : error
}

/** The error of a read: nothing was changed, even if the connection was lost. */
export const toReadError = (error: unknown): unknown =>
  error instanceof StorageOutcomeUnknownError ? toUnavailable(error.cause) : error

/** Whether nobody knows in what state an error left its connection. */
export const isLost = (error: unknown): boolean =>
  error instanceof StorageUnavailableError || error instanceof StorageOutcomeUnknownError

/** Tells whether a statement failed because of the locks that it needed. */
export const isLocked = (error: unknown): boolean =>
  error instanceof StorageUnavailableError && isAnswer(error.cause) && locks.has(error.cause.code ?? '')
