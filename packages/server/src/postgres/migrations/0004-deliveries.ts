/** Subscriptions and their deliveries. See the changes for the order of locks. */
export const deliveries = /* sql */ `
-- Makes the first of those who wait in a lane due, unless something holds it. Needs the lane's lock.
CREATE FUNCTION wabakit.promote(p_subscription bigint, p_subject text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  next record;
BEGIN
  SELECT d.position, e.waits_for INTO next
  FROM wabakit.deliveries d JOIN wabakit.events e ON e.position = d.event
  WHERE d.subscription = p_subscription AND d.subject = p_subject AND d.status = 'waiting'
  ORDER BY d.event LIMIT 1;
  IF NOT FOUND OR wabakit.is_lane_held(p_subscription, p_subject, next.waits_for) THEN
    RETURN false;
  END IF;
  UPDATE wabakit.deliveries SET status = 'pending', holds_lane = true, due_at = wabakit.clock_ms()
  WHERE position = next.position;
  RETURN true;
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
  PERFORM wabakit.seize_subscriptions(ARRAY[kept]);
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
  PERFORM wabakit.seize_subscriptions(ARRAY[removed]);
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

CREATE FUNCTION wabakit.count_leases(p_subscription bigint, p_now bigint) RETURNS bigint LANGUAGE sql STABLE
RETURN (
  SELECT count(*) FROM wabakit.deliveries
  WHERE subscription = p_subscription AND status = 'claimed' AND due_at > p_now
);

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
  lock_key bigint;
BEGIN
  candidates := ARRAY(
    SELECT q.subscription FROM wabakit.queues() q
    WHERE q.due_at <= moment AND wabakit.count_leases(q.subscription, moment) < p_per_subscription
    ORDER BY q.due_at LIMIT p_limit
  );
  -- Claims of one subscription are made one after the other: else two would fill the same slots.
  FOR lock_key IN
    SELECT wabakit.lock_key('claims', each::text) FROM unnest(candidates) AS each ORDER BY 1
  LOOP
    PERFORM pg_advisory_xact_lock(lock_key);
  END LOOP;
  moment := wabakit.clock_ms();
  chosen := ARRAY(
    SELECT due.delivery
    FROM unnest(candidates) AS each,
      LATERAL wabakit.due_deliveries(
        each, moment, greatest(0, p_per_subscription - wabakit.count_leases(each, moment))
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

-- Records what became of a claim: 'stale', or 'settled'; or 'disables', and nothing is written, when it is going to
-- disable the subscription and the caller did not say that it may.
CREATE FUNCTION wabakit.settle_delivery(
  p_delivery bigint, p_claim_id text, p_result json, p_failing_limit_ms bigint, p_may_disable boolean,
  OUT outcome text, OUT delivery json, OUT disabled text, OUT due boolean
) LANGUAGE plpgsql AS $$
DECLARE
  kind text := p_result ->> 'kind';
  attempt record;
  claimed wabakit.deliveries;
  owner wabakit.subscriptions;
  moment bigint;
  is_failure boolean := kind IN ('retry', 'exhausted', 'gone');
  next_status text;
BEGIN
  due := false;
  SELECT d.* INTO claimed FROM wabakit.deliveries d WHERE d.position = p_delivery AND d.claim_id = p_claim_id;
  IF NOT FOUND THEN
    outcome := 'stale';
    RETURN;
  END IF;
  IF p_may_disable THEN
    PERFORM wabakit.seize_subscriptions(ARRAY[claimed.subscription]);
  ELSE
    PERFORM wabakit.share_subscriptions(ARRAY[claimed.subscription]);
    PERFORM wabakit.lock_lanes(ARRAY[claimed.subscription], claimed.subject);
  END IF;
  SELECT d.* INTO claimed FROM wabakit.deliveries d
  WHERE d.position = p_delivery AND d.claim_id = p_claim_id FOR UPDATE;
  IF NOT FOUND THEN
    outcome := 'stale';
    RETURN;
  END IF;
  SELECT s.* INTO owner FROM wabakit.subscriptions s WHERE s.position = claimed.subscription;
  SELECT r.* INTO attempt FROM json_to_record(p_result -> 'attempt') AS r (
    "startedAt" bigint, "durationMs" double precision, url text, status integer, error text, "responseBody" text
  );
  moment := wabakit.clock_ms();

  IF is_failure AND owner.disabled_reason IS NULL THEN
    disabled := CASE
      WHEN kind = 'gone' THEN 'gone'
      WHEN moment - coalesce(owner.failing_since, attempt."startedAt") >= p_failing_limit_ms THEN 'failing'
    END;
  END IF;
  IF disabled IS NOT NULL AND NOT p_may_disable THEN
    outcome := 'disables';
    RETURN;
  END IF;

  next_status := CASE
    WHEN kind = 'delivered' THEN 'delivered'
    WHEN claimed.status = 'skipped' OR kind = 'gone' THEN 'skipped'
    WHEN kind = 'exhausted' THEN 'exhausted'
    WHEN disabled IS NOT NULL THEN 'skipped'
    ELSE 'pending'
  END;
  UPDATE wabakit.deliveries d SET
    status = next_status,
    claim_id = NULL,
    due_at = CASE next_status WHEN 'pending' THEN moment + coalesce((p_result ->> 'afterMs')::bigint, 0) END,
    holds_lane = next_status = 'pending' AND d.holds_lane AND NOT coalesce((p_result ->> 'releasesLane')::boolean, false),
    attempts = d.attempts + CASE kind WHEN 'released' THEN 0 ELSE 1 END,
    failures = d.failures + is_failure::integer,
    settled_at = CASE
      WHEN next_status = 'pending' THEN NULL
      WHEN next_status = claimed.status THEN claimed.settled_at
      ELSE moment
    END
  WHERE d.position = p_delivery
  RETURNING d.* INTO claimed;

  IF kind <> 'released' THEN
    INSERT INTO wabakit.attempts VALUES (
      p_delivery, claimed.attempts, attempt."startedAt", attempt."durationMs", attempt.url, attempt.status,
      attempt.error, attempt."responseBody", NOT is_failure
    );
  END IF;
  IF is_failure THEN
    UPDATE wabakit.subscriptions SET failing_since = attempt."startedAt"
    WHERE position = owner.position AND failing_since IS NULL;
  ELSIF kind = 'delivered' THEN
    UPDATE wabakit.subscriptions SET failing_since = NULL
    WHERE position = owner.position AND failing_since IS NOT NULL;
  END IF;
  IF disabled IS NOT NULL THEN
    UPDATE wabakit.subscriptions
    SET disabled_reason = disabled, revision = revision + 1, updated_at = moment
    WHERE position = owner.position;
    PERFORM wabakit.skip_unsettled(owner.position, moment);
  ELSE
    due := wabakit.promote(claimed.subscription, claimed.subject) OR kind = 'released' AND next_status = 'pending';
  END IF;
  outcome := 'settled';
  SELECT wabakit.record(claimed, e, owner) INTO delivery FROM wabakit.events e WHERE e.position = claimed.event;
END $$;

-- Puts deliveries back into their lanes, those that are settled or pending and, where statuses are given, have one of
-- them. Returns how many, and whether anything is due now.
CREATE FUNCTION wabakit.resend_deliveries(
  p_deliveries bigint[], p_statuses text[], p_webhook_id_suffix text, OUT resent bigint, OUT due boolean
) LANGUAGE plpgsql AS $$
DECLARE
  lane record;
BEGIN
  PERFORM wabakit.seize_subscriptions(ARRAY(
    SELECT DISTINCT d.subscription FROM wabakit.deliveries d WHERE d.position = ANY (p_deliveries)
  ));
  WITH returned AS (
    UPDATE wabakit.deliveries d SET
      status = 'waiting', claim_id = NULL, due_at = NULL, holds_lane = false, failures = 0, settled_at = NULL,
      webhook_id = CASE WHEN p_webhook_id_suffix IS NULL THEN d.webhook_id ELSE e.id || p_webhook_id_suffix END
    FROM wabakit.events e, wabakit.subscriptions s
    WHERE d.position = ANY (p_deliveries) AND e.position = d.event
      AND s.position = d.subscription AND s.disabled_reason IS NULL
      AND d.status NOT IN ('waiting', 'claimed') AND (p_statuses IS NULL OR d.status = ANY (p_statuses))
    RETURNING d.position
  )
  SELECT count(*) INTO resent FROM returned;
  due := false;
  FOR lane IN
    SELECT DISTINCT d.subscription, d.subject FROM wabakit.deliveries d
    WHERE d.position = ANY (p_deliveries) AND d.status = 'waiting'
  LOOP
    due := wabakit.promote(lane.subscription, lane.subject) OR due;
  END LOOP;
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
