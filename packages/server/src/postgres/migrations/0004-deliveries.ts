/** Subscriptions and their deliveries. See the changes for the order of locks. */
export const deliveries = /* sql */ `
-- In the lanes of some deliveries, makes the first of those who wait due, unless something holds it. Returns whether
-- there is one. Needs the lanes' locks.
CREATE FUNCTION wabakit.promote_lanes_of(p_deliveries bigint[]) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE wabakit.deliveries SET status = 'pending', holds_lane = true, due_at = wabakit.clock_ms()
  WHERE position = ANY (ARRAY(
    SELECT first.position
    FROM (
      SELECT DISTINCT d.subscription, d.subject FROM wabakit.deliveries d WHERE d.position = ANY (p_deliveries)
    ) AS lane
    CROSS JOIN LATERAL (
      SELECT d.position, d.event, e.waits_for FROM wabakit.deliveries d JOIN wabakit.events e ON e.position = d.event
      WHERE d.subscription = lane.subscription AND d.subject = lane.subject AND d.status = 'waiting'
      ORDER BY d.event LIMIT 1
    ) AS first
    WHERE NOT wabakit.is_lane_held(lane.subscription, lane.subject, first.event, first.waits_for)
  ));
  RETURN FOUND;
END $$;

-- Skips everything unsettled of a subscription; claims that are out can still report. Needs its exclusive lock.
CREATE FUNCTION wabakit.skip_unsettled(p_subscription bigint, p_now bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE wabakit.deliveries SET status = 'skipped', settled_at = p_now
  WHERE subscription = p_subscription AND status = 'waiting';
  UPDATE wabakit.deliveries SET status = 'skipped', settled_at = p_now, due_at = NULL, holds_lane = false
  WHERE subscription = p_subscription AND due_at IS NOT NULL;
END $$;

CREATE FUNCTION wabakit.save_subscription(p_subscription json) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  wanted record;
  kept bigint;
BEGIN
  SELECT r.* INTO wanted FROM json_to_record(p_subscription) AS r (
    id text, "organizationId" text, revision integer, channel text, number text, digits text, url text, events json,
    secret text, "previousSecret" json, "disabledReason" text, "failingSince" bigint, "createdAt" bigint,
    "updatedAt" bigint
  );
  PERFORM wabakit.enter_organization(wanted."organizationId");
  IF wanted.revision = 1 THEN
    -- New ones are committed one after the other, so that the list grows at its end.
    PERFORM pg_advisory_xact_lock(wabakit.lock_key('subscriptions', wanted."organizationId"));
    INSERT INTO wabakit.subscriptions (
      id, organization_id, revision, channel, number, digits, url, events, secret, previous_secret,
      disabled_reason, failing_since, created_at, updated_at
    ) VALUES (
      wanted.id, wanted."organizationId", 1, wanted.channel, wanted.number, wanted.digits, wanted.url,
      wabakit.all_or_some(wanted.events), wanted.secret, wanted."previousSecret", wanted."disabledReason",
      wanted."failingSince", wanted."createdAt", wanted."updatedAt"
    ) ON CONFLICT (organization_id, id) DO NOTHING;
    RETURN FOUND;
  END IF;
  SELECT s.position INTO kept FROM wabakit.subscriptions s
  WHERE s.organization_id = wanted."organizationId" AND s.id = wanted.id;
  PERFORM wabakit.lock_subscription(kept);
  UPDATE wabakit.subscriptions s SET
    revision = wanted.revision, channel = wanted.channel, number = wanted.number, digits = wanted.digits,
    url = wanted.url, events = wabakit.all_or_some(wanted.events), secret = wanted.secret,
    previous_secret = wanted."previousSecret", disabled_reason = wanted."disabledReason",
    failing_since = CASE
      WHEN s.url <> wanted.url OR s.disabled_reason IS NOT NULL AND wanted."disabledReason" IS NULL THEN NULL
      ELSE s.failing_since
    END,
    created_at = wanted."createdAt", updated_at = wanted."updatedAt"
  WHERE s.position = kept AND s.revision = wanted.revision - 1;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  IF wanted."disabledReason" IS NOT NULL THEN
    PERFORM wabakit.skip_unsettled(kept, wanted."updatedAt");
  END IF;
  RETURN true;
END $$;

CREATE FUNCTION wabakit.remove_subscription(p_organization_id text, p_id text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  removed bigint;
BEGIN
  SELECT s.position INTO removed FROM wabakit.subscriptions s
  WHERE s.organization_id = p_organization_id AND s.id = p_id;
  PERFORM wabakit.lock_subscription(removed);
  DELETE FROM wabakit.attempts a USING wabakit.deliveries d
  WHERE d.subscription = removed AND a.delivery = d.position;
  DELETE FROM wabakit.deliveries WHERE subscription = removed;
  DELETE FROM wabakit.subscriptions WHERE position = removed;
  RETURN FOUND;
END $$;

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

-- The first of what a subscription has due.
CREATE FUNCTION wabakit.due_deliveries(p_subscription bigint, p_now bigint, p_limit bigint)
RETURNS TABLE (delivery bigint, due_at bigint, event bigint) LANGUAGE sql STABLE AS $$
  (
    SELECT d.position, d.due_at, d.event FROM wabakit.deliveries d
    WHERE d.subscription = p_subscription AND d.status = 'pending' AND d.due_at <= p_now
    ORDER BY d.due_at, d.event LIMIT p_limit
  )
  UNION ALL
  (
    SELECT d.position, d.due_at, d.event FROM wabakit.deliveries d
    WHERE d.subscription = p_subscription AND d.status = 'claimed' AND d.due_at <= p_now
    ORDER BY d.due_at, d.event LIMIT p_limit
  )
  ORDER BY 2, 3 LIMIT p_limit
$$;

CREATE FUNCTION wabakit.claim_deliveries(
  p_claim_id text, p_lease_ms bigint, p_limit integer, p_per_subscription integer
) RETURNS TABLE (delivery json, event json, subscription json) LANGUAGE plpgsql AS $$
DECLARE
  moment bigint := wabakit.clock_ms();
  candidates bigint[];
  chosen bigint[];
  key bigint;
BEGIN
  candidates := ARRAY(
    SELECT q.subscription FROM wabakit.queues() q
    WHERE q.due_at <= moment AND p_per_subscription > (
      SELECT count(*) FROM wabakit.deliveries d
      WHERE d.subscription = q.subscription AND d.status = 'claimed' AND d.due_at > moment
    )
    ORDER BY q.due_at LIMIT p_limit
  );
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
      SELECT count(*) AS leases FROM wabakit.deliveries d
      WHERE d.subscription = candidate AND d.status = 'claimed' AND d.due_at > moment
    ) AS taken
    CROSS JOIN LATERAL wabakit.due_deliveries(
      candidate, moment, least(p_limit, greatest(0, p_per_subscription - taken.leases))
    ) AS due
    ORDER BY due.due_at, due.event LIMIT p_limit
  );
  RETURN QUERY
  WITH free AS (
    SELECT d.position, d.due_at FROM wabakit.deliveries d
    WHERE d.position = ANY (chosen) AND d.due_at <= moment
    FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE wabakit.deliveries d SET status = 'claimed', claim_id = p_claim_id, due_at = moment + p_lease_ms
    WHERE d.position = ANY (ARRAY(SELECT free.position FROM free))
    RETURNING d.position, d.event, d.subscription, d AS row
  )
  SELECT wabakit.record(c.row, e, s), wabakit.record(e), wabakit.record(s)
  FROM claimed c
  JOIN free f ON f.position = c.position
  JOIN wabakit.events e ON e.position = c.event
  JOIN wabakit.subscriptions s ON s.position = c.subscription
  ORDER BY f.due_at, c.event;
END $$;

-- Records what became of claims. In the result, those that are not under their claim any more are missing, and where
-- a settlement is going to disable its subscription and the caller did not say that it may, "disables" is true and
-- nothing was written.
CREATE FUNCTION wabakit.settle_deliveries(
  p_deliveries bigint[], p_settlements json, p_may_disable boolean, OUT settled json, OUT due boolean
) LANGUAGE plpgsql AS $$
DECLARE
  moment bigint;
  key bigint;
  disabled_subscription bigint;
BEGIN
  FOR key IN
    SELECT DISTINCT wabakit.lock_key('subscription', d.subscription::text)
    FROM wabakit.deliveries d WHERE d.position = ANY (p_deliveries) ORDER BY 1
  LOOP
    IF p_may_disable THEN
      PERFORM pg_advisory_xact_lock(key);
    ELSE
      PERFORM pg_advisory_xact_lock_shared(key);
    END IF;
  END LOOP;
  FOR key IN
    SELECT DISTINCT wabakit.lock_key('lane', d.subscription || ' ' || d.subject)
    FROM wabakit.deliveries d WHERE d.position = ANY (p_deliveries) AND NOT p_may_disable ORDER BY 1
  LOOP
    PERFORM pg_advisory_xact_lock(key);
  END LOOP;
  moment := wabakit.clock_ms();

  WITH asked AS MATERIALIZED (
    SELECT r.*, r.kind IN ('retry', 'exhausted', 'gone') AS failed FROM json_to_recordset(p_settlements) AS r (
      place integer, delivery bigint, "claimId" text, "failingLimitMs" bigint, kind text, "afterMs" bigint,
      "releasesLane" boolean, "startedAt" bigint, "durationMs" double precision, url text, status integer,
      error text, "responseBody" text
    )
  ), judged AS (
    SELECT a.*, d.status AS status_before, s.id AS subscription_id, CASE
      WHEN NOT a.failed OR s.disabled_reason IS NOT NULL THEN NULL
      WHEN a.kind = 'gone' THEN 'gone'
      WHEN moment - coalesce(s.failing_since, a."startedAt") >= a."failingLimitMs" THEN 'failing'
    END AS disabled
    FROM asked a
    JOIN wabakit.deliveries d ON d.position = a.delivery AND d.claim_id = a."claimId"
    JOIN wabakit.subscriptions s ON s.position = d.subscription
  ), decided AS (
    SELECT j.*, CASE
      WHEN j.kind = 'delivered' THEN 'delivered'
      WHEN j.status_before = 'skipped' OR j.kind = 'gone' THEN 'skipped'
      WHEN j.kind = 'exhausted' THEN 'exhausted'
      WHEN j.disabled IS NOT NULL THEN 'skipped'
      ELSE 'pending'
    END AS status_after
    FROM judged j WHERE j.disabled IS NULL OR p_may_disable
  ), written AS (
    UPDATE wabakit.deliveries d SET
      status = c.status_after,
      claim_id = NULL,
      due_at = CASE c.status_after WHEN 'pending' THEN moment + coalesce(c."afterMs", 0) END,
      holds_lane = c.status_after = 'pending' AND d.holds_lane AND c."releasesLane" IS NOT TRUE,
      attempts = d.attempts + (c.kind <> 'released')::integer,
      failures = d.failures + c.failed::integer,
      settled_at = CASE
        WHEN c.status_after = 'pending' THEN NULL
        WHEN c.status_after = c.status_before THEN d.settled_at
        ELSE moment
      END
    FROM decided c, wabakit.events e, wabakit.subscriptions s
    WHERE d.position = c.delivery AND d.claim_id = c."claimId" AND e.position = d.event
      AND s.position = d.subscription
    RETURNING c.place, c.disabled, c.kind, d.attempts, d.subscription, wabakit.record(d, e, s) AS record
  ), attempted AS (
    INSERT INTO wabakit.attempts
    SELECT a.delivery, w.attempts, a."startedAt", a."durationMs", a.url, a.status, a.error, a."responseBody", NOT a.failed
    FROM written w JOIN asked a ON a.place = w.place WHERE a.kind <> 'released'
  ), results AS (
    SELECT w.subscription, bool_or(w.kind = 'delivered') AS succeeded,
      min(a."startedAt") FILTER (WHERE a.failed) AS failing_since, min(w.disabled) AS disabled
    FROM written w JOIN asked a ON a.place = w.place GROUP BY w.subscription
  ), changed AS (
    -- In this order, so that two of these do not wait for each other.
    SELECT r.*, s.position
    FROM wabakit.subscriptions s JOIN results r ON r.subscription = s.position
    WHERE r.disabled IS NOT NULL OR r.succeeded AND s.failing_since IS NOT NULL
      OR NOT r.succeeded AND s.failing_since IS NULL AND r.failing_since IS NOT NULL
    ORDER BY s.position FOR NO KEY UPDATE OF s
  ), noted AS (
    UPDATE wabakit.subscriptions s SET
      failing_since = CASE WHEN NOT c.succeeded THEN coalesce(s.failing_since, c.failing_since) END,
      disabled_reason = coalesce(c.disabled, s.disabled_reason),
      revision = s.revision + (c.disabled IS NOT NULL)::integer,
      updated_at = CASE WHEN c.disabled IS NULL THEN s.updated_at ELSE moment END
    FROM changed c WHERE s.position = c.position
  )
  SELECT
    coalesce(json_agg(json_build_object(
      'place', j.place, 'disables', w.place IS NULL AND j.disabled IS NOT NULL, 'delivery', w.record,
      'disabled', w.disabled
    )) FILTER (WHERE w.place IS NOT NULL OR j.disabled IS NOT NULL), '[]'),
    coalesce(bool_or(w.kind = 'released'), false),
    min(w.subscription) FILTER (WHERE w.disabled IS NOT NULL)
  INTO settled, due, disabled_subscription
  FROM judged j LEFT JOIN written w ON w.place = j.place;

  IF disabled_subscription IS NULL THEN
    due := wabakit.promote_lanes_of(p_deliveries) OR due;
  ELSE
    PERFORM wabakit.skip_unsettled(disabled_subscription, moment);
  END IF;
END $$;

-- Puts deliveries back into their lanes, those that are settled or pending and, where statuses are given, have one of
-- them. Returns how many, and whether anything is due now.
CREATE FUNCTION wabakit.resend_deliveries(
  p_deliveries bigint[], p_statuses text[], p_webhook_id_suffix text, OUT resent integer, OUT due boolean
) LANGUAGE plpgsql AS $$
DECLARE
  key bigint;
BEGIN
  FOR key IN
    SELECT DISTINCT wabakit.lock_key('subscription', d.subscription::text)
    FROM wabakit.deliveries d WHERE d.position = ANY (p_deliveries) ORDER BY 1
  LOOP
    PERFORM pg_advisory_xact_lock(key);
  END LOOP;
  UPDATE wabakit.deliveries d SET
    status = 'waiting', claim_id = NULL, due_at = NULL, holds_lane = false, failures = 0, settled_at = NULL,
    webhook_id = CASE WHEN p_webhook_id_suffix IS NULL THEN d.webhook_id ELSE e.id || p_webhook_id_suffix END
  FROM wabakit.events e, wabakit.subscriptions s
  WHERE d.position = ANY (p_deliveries) AND e.position = d.event
    AND s.position = d.subscription AND s.disabled_reason IS NULL
    AND d.status NOT IN ('waiting', 'claimed') AND (p_statuses IS NULL OR d.status = ANY (p_statuses));
  GET DIAGNOSTICS resent = ROW_COUNT;
  due := wabakit.promote_lanes_of(p_deliveries);
END $$;

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
      SELECT FROM wabakit.deliveries d WHERE d.organization_id = e.organization_id AND d.event = e.position
    )
    ORDER BY e.occurred_at LIMIT p_limit FOR UPDATE SKIP LOCKED
  ));
  GET DIAGNOSTICS removed_events = ROW_COUNT;
  RETURN cardinality(finished) + removed_events;
END $$;
`
