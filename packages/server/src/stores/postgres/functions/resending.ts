import { progress } from '../progress.ts'
import { isHead } from './lanes.ts'

export const resendingFunctions = /* sql */ `
-- Returns deliveries, each given by its subscription and event, to their lanes if their subscription is enabled, they are
-- finished or have been attempted and, if statuses are given, have one of these. Returns their number and, unless it is 0,
-- the queues of all given subscriptions.
CREATE FUNCTION resend_deliveries(
  p_subscriptions bigint[], p_events bigint[], p_statuses text[], p_webhook_id_suffix text, p_now bigint,
  OUT resent integer, OUT queues json
) LANGUAGE plpgsql AS $$
DECLARE
  retried integer;
BEGIN
  PERFORM lock_all('subscription', p_subscriptions::text[]);
  WITH requested AS MATERIALIZED (
    SELECT k.subscription, k.event, e.subject, e.waits_for, e.id || p_webhook_id_suffix AS webhook_id
    FROM unnest(p_subscriptions, p_events) AS k (subscription, event)
    CROSS JOIN LATERAL (SELECT * FROM wabakit.events e WHERE e.position = k.event OFFSET 0) AS e
    CROSS JOIN LATERAL (
      SELECT FROM wabakit.subscriptions s WHERE s.position = k.subscription AND s.disabled_reason IS NULL OFFSET 0
    ) AS s
  ), found AS MATERIALIZED (
    SELECT r.*, f.ctid AS place FROM requested r CROSS JOIN LATERAL (
      SELECT f.ctid, f.state FROM wabakit.deliveries f WHERE f.subscription = r.subscription AND f.event = r.event OFFSET 0
    ) AS f WHERE p_statuses IS NULL OR f.state = ANY (p_statuses)
  ), gone AS (
    DELETE FROM wabakit.deliveries WHERE ctid = ANY (ARRAY(SELECT f.place FROM found f)) RETURNING *
  ), kept AS (
    INSERT INTO wabakit.attempts
      (subscription, event, number, started_at, duration_ms, url, status, response_body, succeeded)
    SELECT g.subscription, g.event, g.attempts, g.started_at, g.duration_ms, g.url, g.status, g.response_body, true
    FROM gone g WHERE g.started_at IS NOT NULL
  )
  INSERT INTO wabakit.unfinished_deliveries (subscription, event, organization_id, lane, waits, version, due_at, ${progress.names}, webhook_id)
  SELECT g.subscription, g.event, g.organization_id, wabakit.lane_of(f.subscription, f.subject), f.waits_for IS NOT NULL, g.version + 1,
    p_now, ${progress.restartedFrom('g')}, coalesce(f.webhook_id, g.webhook_id)
  FROM gone g JOIN found f ON f.subscription = g.subscription AND f.event = g.event;
  GET DIAGNOSTICS resent = ROW_COUNT;

  UPDATE wabakit.unfinished_deliveries p SET
    state = 'fresh', version = p.version + 1, due_at = p_now, ${progress.restarted}, xact = pg_current_xact_id(),
    webhook_id = CASE WHEN p_webhook_id_suffix IS NULL THEN p.webhook_id
      ELSE (SELECT e.id FROM wabakit.events e WHERE e.position = p.event) || p_webhook_id_suffix END
  WHERE p.ctid = ANY (ARRAY(
    SELECT p.ctid FROM unnest(p_subscriptions, p_events) AS k (subscription, event)
    CROSS JOIN LATERAL (
      SELECT p.ctid FROM wabakit.unfinished_deliveries p
      WHERE p.subscription = k.subscription AND p.event = k.event AND p.state <> 'fresh' OFFSET 0
    ) AS p
    CROSS JOIN LATERAL (
      SELECT FROM wabakit.subscriptions s WHERE s.position = k.subscription AND s.disabled_reason IS NULL OFFSET 0
    ) AS s
    WHERE p_statuses IS NULL OR 'pending' = ANY (p_statuses)
  ));
  GET DIAGNOSTICS retried = ROW_COUNT;
  resent := resent + retried;
  IF resent > 0 THEN
    SELECT json_agg(note_change(k.subscription)) INTO queues
    FROM (SELECT DISTINCT subscription FROM unnest(p_subscriptions) AS subscription ORDER BY 1) AS k;
  END IF;
END $$;

-- Finishes an unfinished delivery as skipped. Returns its queue, and whether the delivery was found.
CREATE FUNCTION cancel_delivery(
  p_organization_id text, p_subscription bigint, p_event bigint, p_now bigint, OUT changed boolean, OUT queue json
) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_all('subscription', ARRAY[p_subscription::text]);
  changed := finish_as_skipped(ARRAY(
    SELECT p.ctid FROM wabakit.unfinished_deliveries p
    WHERE p.subscription = p_subscription AND p.event = p_event AND p.organization_id || '' = p_organization_id
  ), p_now) > 0;
  IF changed THEN
    queue := note_change(p_subscription);
  END IF;
END $$;

-- Makes a delivery due if it is the head of its lane or has been attempted. Returns its queue, and whether that was the
-- case.
CREATE FUNCTION retry_delivery(
  p_organization_id text, p_subscription bigint, p_event bigint, p_now bigint, OUT changed boolean, OUT queue json
) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_all('subscription', ARRAY[p_subscription::text]);
  -- A head is already due.
  UPDATE wabakit.unfinished_deliveries p SET due_at = CASE p.state WHEN 'fresh' THEN p.due_at ELSE p_now END
  WHERE p.subscription = p_subscription AND p.event = p_event AND p.organization_id || '' = p_organization_id
    AND (p.state <> 'fresh' OR ${isHead});
  changed := FOUND;
  IF changed THEN
    queue := note_change(p_subscription);
  END IF;
END $$;
`
