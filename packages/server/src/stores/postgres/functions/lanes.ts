import type { PendingDelivery, StoredQueue } from '@wabakit/core'

/** An added delivery and its queue. */
export type AddedRow = StoredQueue & PendingDelivery & { readonly isHead: boolean }

/**
 * SQL condition: a row `p` of `unfinished_deliveries` is the head of its lane. The head is the first
 * unattempted delivery, unless an earlier delivery blocks the lane, or its event waits for the event of an
 * earlier delivery. With OFFSET 0, each of these checks can only use the index by lane, and reads one range
 * of it.
 */
export const isHead = /* sql */ `(
  p.state = 'fresh'
  AND NOT EXISTS (
    SELECT FROM wabakit.unfinished_deliveries b WHERE b.lane = p.lane AND b.event < p.event AND b.state <> 'passable' OFFSET 0
  )
  AND NOT (p.waits AND EXISTS (
    SELECT FROM wabakit.unfinished_deliveries b
    CROSS JOIN LATERAL (SELECT e.name FROM wabakit.events e WHERE e.position = b.event OFFSET 0) AS before
    WHERE b.lane = p.lane AND b.event < p.event
      AND before.name = (SELECT e.waits_for FROM wabakit.events e WHERE e.position = p.event) OFFSET 0
  ))
)`

/** The columns of a row `p` of `unfinished_deliveries` that a scheduler holds. */
export const pendingColumns = /* sql */ `
  'dlv_' || p.event || '_' || p.subscription AS id, p.event::double precision AS position,
  p.due_at::double precision AS "dueAt", p.version`

/** The columns of a subscription `s` that a scheduler needs. */
export const queueColumns = /* sql */ `
  s.position::text AS queue, wabakit.shard_of(s.position) AS shard, s.organization_id AS "organizationId", s.pace`

/** SQL condition: attempts to a subscription `s` may start. */
export const isOpen = `s.revision > 0 AND s.disabled_reason IS NULL`
