import { DatabaseOpenError } from '../errors/database-open-error.ts'
import { DatabaseVersionError } from '../errors/database-version-error.ts'

const getReason = (error: unknown): string => {
  // The host has several addresses, and none of them accepts connections.
  if (error instanceof AggregateError) return error.errors.map(getReason).join('; ')
  return error instanceof Error ? error.message : String(error)
}

/** Converts an error of opening a database. */
export const toOpenError = (error: unknown, address: string): Error =>
  error instanceof DatabaseVersionError || error instanceof DatabaseOpenError
    ? error
    : new DatabaseOpenError(address, `${getReason(error)}.`, { cause: error })
