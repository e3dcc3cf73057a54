import type { TokenBucketState, TokenBuckets } from '@wabakit/core'
import type { PostgresDatabase } from './open-postgres.ts'

/**
 * Token buckets in PostgreSQL: limits hold over all processes that share it, by the database's clock. A token that may
 * have been taken in vain harms nobody, so a lost connection counts as unavailable.
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
