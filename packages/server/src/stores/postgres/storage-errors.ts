import { RecordNotFoundError, StorageOutcomeUnknownError, StorageUnavailableError } from '@wabakit/core'
import pg from 'pg'
import { missingFunctionMessage, readOnly, undefinedFunction } from './remedies.ts'

/**
 * SQLSTATE classes (https://www.postgresql.org/docs/current/errcodes-appendix.html) of failures that the statement did
 * not cause: connection, transaction rollback, resources, object lock or state, intervention, system, internal.
 */
const unavailable: ReadonlySet<string> = new Set(['08', '40', '53', '55', '57', '58', 'XX'])

/** A prepared statement already exists or is missing, because another process uses the same session. */
const foreignStatement: ReadonlySet<string> = new Set(['42P05', '26000'])

export const poolerMessage =
  'The connection goes through a pooler in transaction or statement mode, in which LISTEN, prepared statements and session locks do not work. Set the pooler to session mode, or connect to PostgreSQL directly.'

/**
 * Returns whether an error shows that the connection shares its session with others. PgBouncer refuses transactions in
 * statement mode with a code that means any violation of the protocol, so only its message tells.
 */
export const isPoolerError = (error: unknown): boolean =>
  error instanceof Error &&
  (error.message === poolerMessage ||
    /statement pooling mode/.test(error.message) ||
    (isResponse(error) && foreignStatement.has(error.code ?? '')))

/** Codes that our SQL functions raise: the record whose id is the detail does not exist. */
const notFound: Readonly<Record<string, RecordNotFoundError['kind']>> = {
  WK404: 'organization',
  WK405: 'group',
  WK406: 'call',
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

const isResponse = (error: unknown): error is pg.DatabaseError => error instanceof pg.DatabaseError

const getReason = (cause: unknown): string => sentence(cause instanceof Error ? cause.message : String(cause))

/** Returns a {@link StorageUnavailableError} for a failure that changed nothing. */
export const toUnavailable = (cause: unknown): StorageUnavailableError =>
  new StorageUnavailableError(`PostgreSQL did not execute the statement: ${getReason(cause)}`, { cause })

const toOutcomeUnknown = (cause: unknown): StorageOutcomeUnknownError =>
  new StorageOutcomeUnknownError(
    `PostgreSQL did not confirm the change, which may or may not have been committed: ${getReason(cause)}`,
    { cause },
  )

/** Codes for a deadlock, a lock timeout, and too many locks. A smaller batch may succeed. */
const locks: ReadonlySet<string> = new Set(['40P01', '55P03', '53200'])

/** Codes of errors that leave the connection intact: of locks, serialization, timeouts, and writes on a standby. */
const rejections: ReadonlySet<string> = new Set([...locks, '40001', '57014', readOnly])

/**
 * Returns whether a response rejects the statement, which has then been rolled back. FATAL and PANIC end the
 * connection, even after a commit. The server may translate the severity, so any code that can be FATAL is then treated
 * as FATAL.
 */
const isRejection = ({ severity, code = '' }: pg.DatabaseError): boolean => {
  if (severity === 'ERROR') return !code.startsWith('08')
  if (severity === 'FATAL' || severity === 'PANIC') return false
  return rejections.has(code) || !unavailable.has(code.slice(0, 2))
}

/**
 * Converts the error of a failed statement.
 *
 * @param isCommitPossible - whether the statement or its COMMIT had been sent.
 */
export const toStorageError = (error: unknown, isCommitPossible: boolean): unknown => {
  if (!isResponse(error) || !isRejection(error)) {
    return isCommitPossible ? toOutcomeUnknown(error) : toUnavailable(error)
  }
  const { code = '' } = error
  if (foreignStatement.has(code)) return new StorageUnavailableError(poolerMessage, { cause: error })
  if (code === undefinedFunction) return new StorageUnavailableError(missingFunctionMessage, { cause: error })
  const missing = notFound[code]
  if (missing !== undefined) return new RecordNotFoundError(missing, error.detail ?? '')
  return code === readOnly || unavailable.has(code.slice(0, 2)) ? toUnavailable(error) : error
}

/** Converts an error from a statement that can be repeated even if its outcome is unknown. */
export const toReadError = (error: unknown): unknown =>
  error instanceof StorageOutcomeUnknownError ? toUnavailable(error.cause) : error

/** Returns whether this version's SQL functions are missing, without which this process can store no result. */
export const isOutdated = (error: unknown): boolean =>
  error instanceof StorageUnavailableError &&
  isResponse(error.cause) &&
  error.cause.code === undefinedFunction

/** Returns whether an error of a connection shows that its server only reads, such as the former primary after a failover. */
export const isDemoted = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === readOnly

/** Returns whether the database failed, rather than the statement. The state of the connection may then be unknown. */
export const isLost = (error: unknown): boolean =>
  error instanceof StorageUnavailableError || error instanceof StorageOutcomeUnknownError

/** Returns whether a statement failed because of the locks it needed. */
export const isLocked = (error: unknown): boolean =>
  error instanceof StorageUnavailableError && isResponse(error.cause) && locks.has(error.cause.code ?? '')
