import type { TokenBucketState, TokenBuckets } from '@wabakit/core'
import type { PostgresDatabase } from './open-postgres.ts'

/**
 * Creates token buckets in PostgreSQL. Limits apply to all processes that share the database, by its clock. A lost
 * connection may cost a token.
 */
export const postgresTokenBuckets = ({ read }: PostgresDatabase): TokenBuckets => ({
  take: async ({ buckets }) => {
    if (buckets.length === 0) return []
    const [row] = await read<{ states: TokenBucketState[] }>('SELECT wabakit.take_tokens($1) AS states', [
      JSON.stringify(buckets),
    ])
    return row?.states ?? []
  },
})
