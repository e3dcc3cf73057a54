import type { Store, UnfinishedMeasure } from '@wabakit/core'
import { behindAfterMs } from '@wabakit/core/storage'
import { firstDue } from './functions/delivery-queue.ts'
import { isHead, isOpen } from './functions/lanes.ts'
import type { PostgresDatabase } from './open-postgres.ts'

/**
 * Maximum number of rows in each part of the measurement. It exceeds the limit, because the part with all fresh deliveries
 * contains heads, too, which are subtracted to count the waiting ones.
 */
const most = '($1 * 2 + 10)'

const measure = `
  WITH RECURSIVE first AS MATERIALIZED (${firstDue}),
  lanes AS (
    (SELECT p.lane FROM wabakit.unfinished_deliveries p ORDER BY p.lane LIMIT 1)
    UNION ALL
    SELECT (SELECT p.lane FROM wabakit.unfinished_deliveries p WHERE p.lane > l.lane ORDER BY p.lane LIMIT 1) FROM lanes l WHERE l.lane IS NOT NULL
  ),
  heads AS MATERIALIZED (
    SELECT p.due_at FROM lanes l
    CROSS JOIN LATERAL (
      SELECT * FROM wabakit.unfinished_deliveries p WHERE p.lane = l.lane AND p.state = 'fresh' ORDER BY p.event LIMIT 1
    ) AS p
    CROSS JOIN LATERAL (SELECT FROM wabakit.subscriptions s WHERE s.position = p.subscription AND ${isOpen} OFFSET 0) AS s
    WHERE ${isHead} LIMIT ${most}
  ),
  fresh AS (
    SELECT p.* FROM wabakit.subscriptions s
    CROSS JOIN LATERAL (
      SELECT * FROM wabakit.unfinished_deliveries p WHERE p.subscription = s.position AND p.state = 'fresh' ORDER BY p.event LIMIT ${most}
    ) AS p
    WHERE s.position > 0 AND ${isOpen} LIMIT ${most}
  ),
  retries AS MATERIALIZED (
    SELECT p.due_at FROM wabakit.subscriptions s
    CROSS JOIN LATERAL (
      SELECT * FROM wabakit.unfinished_deliveries p WHERE p.retries_of = s.position ORDER BY p.due_at, p.event LIMIT ${most}
    ) AS p
    WHERE s.position > 0 AND ${isOpen} LIMIT ${most}
  ),
  pending AS MATERIALIZED (
    SELECT h.due_at FROM heads h UNION ALL SELECT r.due_at FROM retries r
  ),
  troubled AS MATERIALIZED (
    SELECT count(*) AS number, count(s.disabled_reason) AS disabled FROM wabakit.subscriptions s
    WHERE s.failing_since IS NOT NULL OR s.disabled_reason IS NOT NULL
  )
  SELECT
    least($1, CASE
      WHEN (SELECT count(*) FROM heads) < ${most} THEN (SELECT count(*) FROM fresh) - (SELECT count(*) FROM heads)
      ELSE (SELECT count(*) FROM fresh p WHERE NOT ${isHead})
    END)::integer AS waiting,
    (SELECT least($1, count(*)) FROM pending p WHERE p.due_at <= $2)::integer AS due,
    (SELECT least($1, count(*)) FROM pending p WHERE p.due_at > $2)::integer AS later,
    greatest(0, coalesce($2 - (SELECT min(f.due_at) FROM first f), 0))::double precision AS "oldestDueMs",
    (SELECT count(*) FROM first f CROSS JOIN LATERAL (
      SELECT FROM wabakit.subscriptions s WHERE s.position = f.position AND s.failing_since IS NULL OFFSET 0
    ) AS s WHERE $2 - f.due_at > ${behindAfterMs})::integer AS "behindSubscriptions",
    (SELECT number - disabled FROM troubled)::integer AS "failingSubscriptions",
    (SELECT disabled FROM troubled)::integer AS "disabledSubscriptions"`

const measureEach = `
  SELECT u.unfinished::integer, e.occurred_at::double precision AS "oldestAt", due.due_at::double precision AS "dueAt",
    coalesce(own.pace <> 'new', false) AS "isTried"
  FROM unnest($2::text[]) WITH ORDINALITY AS wanted (id, n)
  LEFT JOIN LATERAL (
    SELECT s.position, s.pace FROM wabakit.subscriptions s
    WHERE s.organization_id = $1 AND s.id = wanted.id AND s.revision > 0
  ) AS own ON true
  CROSS JOIN LATERAL (
    SELECT count(*) AS unfinished FROM (SELECT FROM wabakit.unfinished_deliveries p WHERE p.subscription = own.position LIMIT $3) AS p
  ) AS u
  LEFT JOIN LATERAL (
    SELECT p.event FROM wabakit.unfinished_deliveries p WHERE p.subscription = own.position ORDER BY p.event LIMIT 1
  ) AS oldest ON true
  LEFT JOIN LATERAL (${firstDue} AND s.position = own.position) AS due ON true
  LEFT JOIN LATERAL (SELECT e.occurred_at FROM wabakit.events e WHERE e.position = oldest.event OFFSET 0) AS e ON true
  ORDER BY wanted.n`

const nothing: Awaited<ReturnType<Store['measureBacklog']>> = {
  waiting: 0,
  due: 0,
  later: 0,
  oldestDueMs: 0,
  failingSubscriptions: 0,
  behindSubscriptions: 0,
  disabledSubscriptions: 0,
}

/** Creates the operations that measure the backlog, using only index ranges. */
export const createBacklogMeasure = ({ read }: Pick<PostgresDatabase, 'read'>) =>
  ({
    measureBacklog: async ({ limit, now }) => {
      const [backlog] = await read<typeof nothing>(measure, [limit, Math.floor(now)])
      return backlog ?? nothing
    },
    measureUnfinished: ({ organizationId, subscriptionIds, limit }) =>
      read<UnfinishedMeasure>(measureEach, [organizationId, subscriptionIds, limit]),
  }) satisfies Partial<Store>
