/** What is due, and who attempts it. */
export const claims = /* sql */ `
-- For each subscription with something pending or claimed, the earliest time at which that is due. It goes from
-- one subscription to the next by the index, so that it costs the same however many deliveries there are.
CREATE FUNCTION wabakit.queues() RETURNS TABLE (subscription bigint, due_at bigint) LANGUAGE sql STABLE AS $$
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

-- The first of what a subscription has due, given a time before which nothing is.
CREATE FUNCTION wabakit.due_deliveries(p_subscription bigint, p_from bigint, p_now bigint, p_limit bigint)
RETURNS TABLE (delivery bigint, due_at bigint, event bigint) LANGUAGE sql STABLE AS $$
  (
    SELECT d.position, d.due_at, d.event FROM wabakit.deliveries d
    WHERE d.subscription = p_subscription AND d.status = 'pending' AND d.due_at BETWEEN p_from AND p_now
    ORDER BY d.due_at, d.event LIMIT p_limit
  )
  UNION ALL
  (
    SELECT d.position, d.due_at, d.event FROM wabakit.deliveries d
    WHERE d.subscription = p_subscription AND d.status = 'claimed' AND d.due_at BETWEEN p_from AND p_now
    ORDER BY d.due_at, d.event LIMIT p_limit
  )
  ORDER BY 2, 3 LIMIT p_limit
$$;

-- How many more claims a subscription may have under lease: one that is failing has one at a time.
CREATE FUNCTION wabakit.free_slots(p_subscription bigint, p_now bigint, p_per_subscription integer)
RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT CASE WHEN s.failing_since IS NULL THEN p_per_subscription ELSE 1 END - (
      SELECT count(*) FROM wabakit.deliveries d
      WHERE d.subscription = p_subscription AND d.status = 'claimed' AND d.due_at > p_now
    )
    FROM wabakit.subscriptions s WHERE s.position = p_subscription
  );
END $$;

CREATE FUNCTION wabakit.claim_deliveries(
  p_claim_id text, p_lease_ms bigint, p_limit integer, p_per_subscription integer, p_worker integer DEFAULT NULL
) RETURNS TABLE (
  id text, "organizationId" text, "subscriptionId" text, "eventId" text, "eventName" text, subject text,
  "webhookId" text, status text, "dueAt" double precision, attempts integer, failures integer,
  "createdAt" double precision, "settledAt" double precision,
  channel text, digits text, payload text, "waitsFor" text, subscription json
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  -- How late a row of due_times is made later again, so that a subscription is not locked for it too often.
  lag CONSTANT bigint := 100;
  -- And most of them at once, since each takes a lock.
  most CONSTANT integer := 200;
  moment bigint := wabakit.clock_ms();
  candidates bigint[] := '{}';
  early bigint[] := '{}';
  chosen bigint[];
  noted record;
  key bigint;
BEGIN
  IF NOT wabakit.enter_worker(p_worker) THEN
    RETURN;
  END IF;
  FOR noted IN
    SELECT
      t.subscription, t.due_at, wabakit.first_due(t.subscription, t.due_at) AS first,
      wabakit.free_slots(t.subscription, moment, p_per_subscription) AS slots
    FROM wabakit.due_times t WHERE t.due_at <= moment ORDER BY t.due_at
  LOOP
    IF cardinality(early) < most AND noted.due_at < moment - lag AND coalesce(noted.first, moment) > noted.due_at + lag THEN
      early := early || noted.subscription;
    END IF;
    CONTINUE WHEN noted.first IS NULL OR noted.first > moment OR noted.slots < 1
      OR noted.subscription = ANY (candidates);
    candidates := candidates || noted.subscription;
    EXIT WHEN cardinality(candidates) = p_limit;
  END LOOP;
  -- Claims of one subscription are made one after the other: else two would choose the same.
  FOR key IN
    SELECT wabakit.lock_key('claims', each::text) FROM unnest(candidates) AS each ORDER BY 1
  LOOP
    PERFORM pg_advisory_xact_lock(key);
  END LOOP;
  moment := wabakit.clock_ms();
  chosen := ARRAY(
    SELECT due.delivery
    FROM unnest(candidates) AS candidate
    CROSS JOIN LATERAL (
      SELECT min(t.due_at) AS due_at FROM wabakit.due_times t WHERE t.subscription = candidate
    ) AS noted
    CROSS JOIN LATERAL (
      SELECT wabakit.free_slots(candidate, moment, p_per_subscription) AS slots OFFSET 0
    ) AS free
    CROSS JOIN LATERAL wabakit.due_deliveries(
      candidate, noted.due_at, moment, least(p_limit, greatest(0, free.slots))
    ) AS due
    ORDER BY due.due_at, due.event LIMIT p_limit
  );
  RETURN QUERY
  WITH free AS (
    SELECT d.position, d.due_at FROM wabakit.deliveries d
    WHERE d.position = ANY (chosen) AND d.due_at <= moment
    FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE wabakit.deliveries d SET
      status = 'claimed', claim_id = p_claim_id, worker = p_worker, due_at = moment + p_lease_ms
    WHERE d.position = ANY (ARRAY(SELECT free.position FROM free))
    RETURNING d.*
  )
  SELECT
    wabakit.delivery_id(c.position), c.organization_id, s.id, e.id, c.event_name, c.subject,
    coalesce(c.webhook_id, e.id), c.status, c.due_at::double precision, c.attempts, c.failures,
    e.occurred_at::double precision, c.settled_at::double precision,
    e.channel, e.digits, e.payload, e.waits_for,
    -- With the first of its deliveries.
    CASE row_number() OVER (PARTITION BY c.subscription ORDER BY f.due_at, c.event) WHEN 1 THEN wabakit.record(s.row) END
  FROM claimed c
  JOIN free f ON f.position = c.position
  CROSS JOIN LATERAL (SELECT e.* FROM wabakit.events e WHERE e.position = c.event OFFSET 0) AS e
  CROSS JOIN LATERAL (
    SELECT s.id, s AS row FROM wabakit.subscriptions s WHERE s.position = c.subscription OFFSET 0
  ) AS s
  ORDER BY f.due_at, c.event;

  PERFORM wabakit.put_off(early || ARRAY(
    SELECT t.subscription FROM wabakit.due_times t
    WHERE t.subscription = ANY (candidates) AND t.due_at < moment - lag
      AND coalesce(wabakit.first_due(t.subscription, t.due_at), moment) > t.due_at + lag
  ));
END $$;
`
