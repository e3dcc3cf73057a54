/** Events, and the lanes that their deliveries go through. */
export const events = /* sql */ `
-- Whether something keeps an event from being due as the next of a lane: a holder, or what it must not overtake.
CREATE FUNCTION wabakit.is_lane_held(p_subscription bigint, p_subject text, p_event bigint, p_waits_for text)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM wabakit.deliveries
    WHERE subscription = p_subscription AND subject = p_subject AND holds_lane
  ) OR p_waits_for IS NOT NULL AND EXISTS (
    SELECT FROM wabakit.deliveries
    WHERE subscription = p_subscription AND subject = p_subject AND due_at IS NOT NULL AND NOT holds_lane
      AND event_name = p_waits_for AND event < p_event
  );
END $$;

CREATE FUNCTION wabakit.is_anyone_waiting(p_subscription bigint, p_subject text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM wabakit.deliveries
    WHERE subscription = p_subscription AND subject = p_subject AND status = 'waiting'
  );
END $$;

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

-- Keeps an event, with a delivery for each subscription that matches. Returns whether one of them is due.
CREATE FUNCTION wabakit.tell(p_event json) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  told wabakit.events;
  matching bigint[];
  is_due boolean;
BEGIN
  IF p_event IS NULL THEN
    RETURN false;
  END IF;
  SELECT NULL, r.* INTO told FROM json_to_record(p_event) AS r (
    id text, "organizationId" text, name text, subject text, channel text, digits text, payload text,
    "waitsFor" text, "occurredAt" bigint
  );
  matching := ARRAY(
    SELECT s.position FROM wabakit.subscriptions s
    WHERE s.organization_id = told.organization_id AND s.channel = told.channel AND s.digits = told.digits
      AND (s.events IS NULL OR told.name = ANY (s.events))
  );
  PERFORM wabakit.enter_lanes(matching, told.subject);
  -- Only now: in a lane, events are in the order in which they got it.
  told.position := nextval('wabakit.event_positions');
  INSERT INTO wabakit.events SELECT told.*;
  WITH added AS (
    INSERT INTO wabakit.deliveries
      (organization_id, subscription, event, event_name, subject, status, holds_lane, due_at, settled_at)
    SELECT
      told.organization_id, born.subscription, told.position, told.name, told.subject, born.status,
      born.status = 'pending',
      CASE born.status WHEN 'pending' THEN wabakit.clock_ms() END,
      CASE born.status WHEN 'skipped' THEN told.occurred_at END
    FROM (
      SELECT s.position AS subscription, CASE
        WHEN s.disabled_reason IS NOT NULL THEN 'skipped'
        WHEN wabakit.is_anyone_waiting(s.position, told.subject) THEN 'waiting'
        WHEN wabakit.is_lane_held(s.position, told.subject, told.position, told.waits_for) THEN 'waiting'
        ELSE 'pending'
      END AS status
      FROM wabakit.subscriptions s WHERE s.position = ANY (matching) ORDER BY s.position
    ) AS born
    RETURNING due_at
  )
  SELECT bool_or(due_at IS NOT NULL) INTO is_due FROM added;
  RETURN coalesce(is_due, false);
END $$;

CREATE FUNCTION wabakit.add_event(p_event json) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM wabakit.enter_organization(p_event ->> 'organizationId');
  RETURN wabakit.tell(p_event);
END $$;

-- The position that all events of an organization have reached that are written or being written; the latter are
-- waited for. A statement that begins after this one sees all of them.
CREATE FUNCTION wabakit.last_event(p_organization_id text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(wabakit.lock_key('organization', p_organization_id));
  RETURN (SELECT last_value FROM wabakit.event_positions);
END $$;
`
