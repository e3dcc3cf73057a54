import type { TokenBucketState, TokenBuckets } from '@wabakit/core'
import type { PostgresDatabase } from './open-postgres.ts'

/** Token buckets in PostgreSQL: limits hold over all processes that share it, by the database's clock. */
export const postgresTokenBuckets = ({ query }: PostgresDatabase): TokenBuckets => ({
  take: async ({ buckets }) => {
    if (buckets.length === 0) return []
    const [row] = await query<{ states: TokenBucketState[] }>('SELECT wabakit.take_tokens($1) AS states', [
      JSON.stringify(buckets),
    ])
    return row?.states ?? []
  },
})
