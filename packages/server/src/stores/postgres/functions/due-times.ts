import type { Query } from '../query.ts'

/** When subscriptions have something due. See `schema.ts` for the table. */
export const dueTimeFunctions = /* sql */ `
-- For each subscription with something pending or claimed, the earliest time at which that is due. It goes from
-- one subscription to the next by the index, so that it costs the same however many deliveries there are.
CREATE FUNCTION list_due_times() RETURNS TABLE (subscription bigint, due_at bigint) LANGUAGE sql STABLE AS $$
  WITH RECURSIVE busy AS (
    (
      SELECT d.subscription FROM wabakit.deliveries d WHERE d.due_at IS NOT NULL
      ORDER BY d.subscription, d.status, d.due_at LIMIT 1
    )
    UNION ALL
    SELECT (
      SELECT d.subscription FROM wabakit.deliveries d
      WHERE d.due_at IS NOT NULL AND d.subscription > busy.subscription
      ORDER BY d.subscription, d.status, d.due_at LIMIT 1
    )
    FROM busy WHERE busy.subscription IS NOT NULL
  )
  SELECT busy.subscription, least(
    (
      SELECT d.due_at FROM wabakit.deliveries d
      WHERE d.subscription = busy.subscription AND d.status = 'pending' AND d.due_at IS NOT NULL
      ORDER BY d.due_at LIMIT 1
    ),
    (
      SELECT d.due_at FROM wabakit.deliveries d
      WHERE d.subscription = busy.subscription AND d.status = 'claimed' AND d.due_at IS NOT NULL
      ORDER BY d.due_at LIMIT 1
    )
  )
  FROM busy WHERE busy.subscription IS NOT NULL
$$;

-- When a subscription can be claimed next, given a time before which nothing is due; null when nothing is pending or
-- claimed, or it is disabled. If p_slots is given, a suspect subscription can have no more claims under lease than that, and
-- only one if it is new or failing: its row can then be as late as the end of a lease, and a settlement adds an earlier one.
CREATE FUNCTION next_claim_at(p_subscription bigint, p_from bigint, p_slots integer) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
DECLARE
  pending bigint := (
    SELECT d.due_at FROM wabakit.deliveries d
    WHERE d.subscription = p_subscription AND d.status = 'pending' AND d.due_at >= p_from
    ORDER BY d.due_at LIMIT 1
  );
  claimed bigint := (
    SELECT d.due_at FROM wabakit.deliveries d
    WHERE d.subscription = p_subscription AND d.status = 'claimed' AND d.due_at >= p_from
    ORDER BY d.due_at LIMIT 1
  );
  is_disabled boolean;
  slots integer;
BEGIN
  SELECT s.disabled_reason IS NOT NULL, CASE
    WHEN s.pace = 'slow' THEN p_slots
    WHEN s.pace <> 'quick' AND p_slots IS NOT NULL THEN 1
  END INTO is_disabled, slots
  FROM wabakit.subscriptions s WHERE s.position = p_subscription;
  IF is_disabled THEN
    RETURN NULL;
  ELSIF slots IS NOT NULL AND claimed > pending AND claimed > wabakit.clock_ms() AND slots <= (
    SELECT count(*) FROM (
      SELECT FROM wabakit.deliveries d
      WHERE d.subscription = p_subscription AND d.status = 'claimed' AND d.due_at >= claimed LIMIT slots
    ) AS claims
  ) THEN
    RETURN claimed;
  END IF;
  RETURN least(pending, claimed);
END $$;

-- When the first of all that is pending or claimed is due; null when there is nothing.
CREATE FUNCTION next_due_at() RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
  earliest record;
  found bigint;
BEGIN
  FOR each IN 1..3 LOOP
    FOR earliest IN
      SELECT t.subscription, t.due_at FROM wabakit.due_times t WHERE t.share = each ORDER BY t.due_at
    LOOP
      EXIT WHEN found <= earliest.due_at;
      found := least(found, next_claim_at(earliest.subscription, earliest.due_at, NULL));
    END LOOP;
  END LOOP;
  RETURN found;
END $$;

-- Makes the rows of subscriptions as late as they can be, if they are too early by more than a lag and their lock is free.
CREATE FUNCTION postpone_due_times(p_subscriptions bigint[], p_lag bigint, p_slots integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  free bigint[];
  early bigint[];
  times bigint[];
BEGIN
  free := ARRAY(
    SELECT each FROM (SELECT DISTINCT unnest(p_subscriptions)) AS requested (each)
    WHERE pg_try_advisory_xact_lock(wabakit.lock_key('subscription', each::text))
  );
  SELECT array_agg(n.subscription), array_agg(first) INTO early, times
  FROM (
    SELECT t.subscription, min(t.due_at) AS due_at FROM wabakit.due_times t WHERE t.subscription = ANY (free) GROUP BY 1
  ) AS n
  CROSS JOIN LATERAL next_claim_at(n.subscription, n.due_at, p_slots) AS first
  WHERE first IS NULL OR first > n.due_at + p_lag;
  IF early IS NOT NULL THEN
    DELETE FROM wabakit.due_times t WHERE t.subscription = ANY (early);
    PERFORM wabakit.add_due_times(early, times);
  END IF;
END $$;

-- Adds rows for subscriptions that can be claimed again, because a claim of theirs is over: a slow one has a free slot.
CREATE FUNCTION add_next_due_times(p_subscriptions bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM wabakit.add_due_times(p_subscriptions, ARRAY(
    SELECT next_claim_at(each, 0, 2147483647) FROM unnest(p_subscriptions) WITH ORDINALITY AS s (each, n) ORDER BY n
  ));
END $$;
`

/** Returns when the first of all that is pending or claimed is due. */
export const readNextDueAt = async (read: Query): Promise<number | undefined> => {
  const [row] = await read<{ next: number | null }>('SELECT next_due_at()::double precision AS next')
  return row?.next ?? undefined
}
