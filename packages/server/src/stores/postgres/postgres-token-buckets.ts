import type { TokenBuckets } from '@wabakit/core'
import { takeTokens } from './functions/token-buckets.ts'
import type { PostgresDatabase } from './open-postgres.ts'
import { createTokenLeases } from './token-leases.ts'

/**
 * Creates token buckets in PostgreSQL. Limits apply to all processes that share the database, by its clock. A lost
 * connection may cost tokens.
 */
export const postgresTokenBuckets = ({ read }: PostgresDatabase): TokenBuckets => {
  const take = createTokenLeases((wanted) => takeTokens(read, wanted))
  return { take: async (request) => (request.buckets.length === 0 ? [] : take(request)) }
}
