import type { TokenBuckets } from '@wabakit/core'
import { takeTokens } from './functions/token-buckets.ts'
import type { PostgresDatabase } from './open-postgres.ts'

/**
 * Creates token buckets in PostgreSQL. Limits apply to all processes that share the database, by its clock. A lost
 * connection may cost a token.
 */
export const postgresTokenBuckets = ({ read }: PostgresDatabase): TokenBuckets => ({
  take: async ({ buckets }) => (buckets.length === 0 ? [] : takeTokens(read, buckets)),
})
