/** What became of claims, and sending again. */
export const settlements = /* sql */ `
-- Records what became of claims. In the result, those that are not under their claim any more are missing, and where
-- a settlement is going to disable its subscription and the caller did not say that it may, "disables" is true and
-- nothing was written.
CREATE FUNCTION wabakit.settle_deliveries(
  p_deliveries bigint[], p_settlements json, p_may_disable boolean, OUT settled json, OUT due boolean
) LANGUAGE plpgsql AS $$
DECLARE
  moment bigint;
  disabled_subscription bigint;
  subscriptions bigint[];
  subjects text[];
BEGIN
  PERFORM wabakit.limit_patience(cardinality(p_deliveries));
  SELECT array_agg(d.subscription), array_agg(d.subject) INTO subscriptions, subjects
  FROM wabakit.deliveries d WHERE d.position = ANY (p_deliveries);
  IF p_may_disable THEN
    PERFORM wabakit.lock_subscription(subscriptions[1]);
  ELSE
    PERFORM wabakit.enter_lanes(subscriptions, subjects);
  END IF;
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
`
