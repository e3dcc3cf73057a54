import pg from 'pg'
import { DatabaseOpenError, DatabasePoolerError, DatabaseVersionError } from '../errors.ts'
import { isPoolerError, poolerMessage } from './storage-errors.ts'

/** The remedy if the role lacks the privilege to create the schemas. It owns the schemas that it creates. */
const grants =
  'As the owner of the database, run: GRANT CONNECT, CREATE ON DATABASE <database> TO <user>. If another role has created the schemas, use that role, or make this one a member of it'

const getReason = (error: unknown): string => {
  // A host with several addresses causes this error if none of them accepts connections.
  if (error instanceof AggregateError) return error.errors.map(getReason).join('; ')
  if (!(error instanceof Error)) return String(error)
  // pg's message for a time-out does not say what expired.
  if (error.message === 'timeout expired') return 'It did not respond in time'
  return error instanceof pg.DatabaseError && error.code === '42501'
    ? `${error.message}. ${grants}`
    : error.message
}

/** Converts an error that occurred while opening a database. */
export const toOpenError = (error: unknown, address: string): Error =>
  error instanceof DatabaseVersionError || error instanceof DatabaseOpenError
    ? error
    : isPoolerError(error)
      ? new DatabasePoolerError(address, poolerMessage, { cause: error })
      : new DatabaseOpenError(address, `${getReason(error)}.`, { cause: error })
