import type { Store } from '@wabakit/core'
import { planRollUps } from '@wabakit/core/storage'
import type { PostgresDatabase } from './open-postgres.ts'
import { callFunction } from './query.ts'
import { createReads, ifOrganizationExists, mapTable } from './records.ts'

const { toRow } = mapTable('figures')

/** Creates the operations on counts of events and attempts over time. */
export const createFigures = ({ query, read }: Pick<PostgresDatabase, 'query' | 'read'>) => {
  const { list } = createReads(read, 'figures')
  return {
    addFigures: async (figures) => {
      await query('SELECT add_figures($1)', [JSON.stringify(figures.map(toRow))])
    },
    listFigures: ({ organizationId, subscriptionIds, from }) =>
      list(
        `FROM unnest($2::text[]) AS s (id) CROSS JOIN LATERAL (
           SELECT * FROM wabakit.figures f
           WHERE f.organization_id = $1 AND f.subscription_id = s.id AND f.at >= $3 OFFSET 0
         ) AS r WHERE ${ifOrganizationExists('$1')}`,
        [organizationId, [...new Set(subscriptionIds)], Math.floor(from)],
      ),
    rollUpFigures: async ({ now, limit }) => {
      let removed = 0
      for (const { span, intoSpan, before } of planRollUps(now)) {
        const values = [span, intoSpan, before, limit]
        removed += (await callFunction<number>(query, 'roll_up_figures($1, $2, $3, $4)', values)) ?? 0
      }
      return removed
    },
  } satisfies Partial<Store>
}
