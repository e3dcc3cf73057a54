import { DatabaseOpenError } from '../sqlite/errors/database-open-error.ts'
import { DatabaseVersionError } from '../sqlite/errors/database-version-error.ts'

const reasonOf = (error: unknown): string => {
  // A host of several addresses, none of which answers.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}

/** What kept us from opening the database of an address, as those who open it throw it. */
export const toOpenError = (error: unknown, address: string): Error =>
  error instanceof DatabaseVersionError || error instanceof DatabaseOpenError
    ? error
    : new DatabaseOpenError(address, `${reasonOf(error)}.`, { cause: error })
