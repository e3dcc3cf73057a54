/** Pruning. */
export const retention = /* sql */ `
-- Removes finished deliveries, and events without deliveries, oldest first, from the given times on. Returns their number,
-- and the times of the last ones for the next call, which then skips entries that stay in the indexes until the next
-- vacuum. If nothing is left to remove, it also adds missing due times.
CREATE FUNCTION wabakit.prune(
  p_before bigint, p_limit integer, p_finished_from bigint, p_occurred_from bigint,
  OUT removed integer, OUT finished_from bigint, OUT occurred_from bigint
) LANGUAGE plpgsql AS $$
DECLARE
  finished bigint[];
  unused bigint[];
BEGIN
  SELECT array_agg(found.position), max(found.finished_at) INTO finished, finished_from FROM (
    SELECT d.position, d.finished_at FROM wabakit.deliveries d
    WHERE d.finished_at >= p_finished_from AND d.finished_at < p_before
    ORDER BY d.finished_at LIMIT p_limit FOR UPDATE SKIP LOCKED
  ) AS found;
  WITH deleted AS (
    DELETE FROM wabakit.deliveries WHERE position = ANY (finished) RETURNING subscription, event
  )
  DELETE FROM wabakit.attempts a USING deleted d WHERE a.subscription = d.subscription AND a.event = d.event;
  SELECT array_agg(found.position), max(found.occurred_at) INTO unused, occurred_from FROM (
    SELECT e.position, e.occurred_at FROM wabakit.events e
    WHERE e.occurred_at >= p_occurred_from AND e.occurred_at < p_before AND NOT EXISTS (
      -- OFFSET makes this a look-up for each event. A join would read all deliveries.
      SELECT FROM wabakit.deliveries d WHERE d.organization_id = e.organization_id AND d.event = e.position OFFSET 0
    )
    ORDER BY e.occurred_at LIMIT p_limit FOR UPDATE SKIP LOCKED
  ) AS found;
  DELETE FROM wabakit.events WHERE position = ANY (unused);
  removed := coalesce(cardinality(finished), 0) + coalesce(cardinality(unused), 0);
  IF removed = 0 THEN
    PERFORM wabakit.note_all_due();
  END IF;
  finished_from := coalesce(finished_from, p_finished_from);
  occurred_from := coalesce(occurred_from, p_occurred_from);
END $$;
`
