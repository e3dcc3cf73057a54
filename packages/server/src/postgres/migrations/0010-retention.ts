/** Removing what is finished. */
export const retention = /* sql */ `
CREATE FUNCTION wabakit.prune(p_before bigint, p_limit integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  finished bigint[];
  removed_events bigint;
BEGIN
  finished := ARRAY(
    SELECT d.position FROM wabakit.deliveries d WHERE d.settled_at < p_before
    ORDER BY d.settled_at LIMIT p_limit FOR UPDATE SKIP LOCKED
  );
  DELETE FROM wabakit.attempts WHERE delivery = ANY (finished);
  DELETE FROM wabakit.deliveries WHERE position = ANY (finished);
  DELETE FROM wabakit.events WHERE position = ANY (ARRAY(
    SELECT e.position FROM wabakit.events e
    WHERE e.occurred_at < p_before AND NOT EXISTS (
      -- OFFSET keeps it a look-up for each event; a join would read all deliveries.
      SELECT FROM wabakit.deliveries d WHERE d.organization_id = e.organization_id AND d.event = e.position OFFSET 0
    )
    ORDER BY e.occurred_at LIMIT p_limit FOR UPDATE SKIP LOCKED
  ));
  GET DIAGNOSTICS removed_events = ROW_COUNT;
  RETURN cardinality(finished) + removed_events;
END $$;
`
