import type { Store } from '@wabakit/core'
import { planRollUps } from '@wabakit/core/storage'
import { addFigures, rollUpFigures } from './functions/figures.ts'
import type { PostgresDatabase } from './open-postgres.ts'
import { ifOrganizationExists, mapTable, type SelectedRow } from './records.ts'

const { toRecord } = mapTable('figures')

/** Creates the operations on counts of events and attempts over time. */
export const createFigures = ({ query, read }: Pick<PostgresDatabase, 'query' | 'read'>) =>
  ({
    addFigures: (figures) => addFigures(query, figures),
    listFigures: async ({ organizationId, subscriptionIds, from }) => {
      const rows = await read<SelectedRow>(
        `SELECT row_to_json(f) AS row FROM unnest($2::text[]) AS s (id) CROSS JOIN LATERAL (
         SELECT * FROM wabakit.figures f
         WHERE f.organization_id = $1 AND f.subscription_id = s.id AND f.at >= $3 OFFSET 0
       ) AS f WHERE ${ifOrganizationExists('$1')}`,
        [organizationId, [...new Set(subscriptionIds)], Math.floor(from)],
      )
      return rows.map(({ row }) => toRecord(row))
    },
    rollUpFigures: async ({ now, limit }) => {
      let removed = 0
      for (const plan of planRollUps(now)) removed += await rollUpFigures(query, { ...plan, limit })
      return removed
    },
  }) satisfies Partial<Store>
