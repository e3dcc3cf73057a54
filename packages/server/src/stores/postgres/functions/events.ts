import type { EventRecord } from '@wabakit/core'
import type { Query } from '../query.ts'
import { listColumns, mapTable } from '../records.ts'

/** A delivery as the core's record: the columns of `deliveries d`, `events e` and `subscriptions s`. */
export const deliveryColumns = /* sql */ `
  'dlv_' || d.event || '_' || d.subscription AS id, d.organization_id AS "organizationId", s.id AS "subscriptionId",
  e.id AS "eventId", d.event_name AS "eventName", d.subject, coalesce(d.webhook_id, e.id) AS "webhookId", d.status,
  d.due_at AS "dueAt", d.attempts, d.failures, d.deferrals, d.deferred_ms AS "deferredMs", e.occurred_at AS "createdAt",
  d.finished_at AS "finishedAt"`

/** Events and lanes. */
export const eventFunctions = /* sql */ `
-- Whether a lane is held, or has an unfinished delivery that the given event must wait for.
CREATE FUNCTION is_lane_held(p_subscription bigint, p_subject text, p_event bigint, p_waits_for text)
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

-- Makes the first waiting delivery of each lane due, unless the lane is held. Each lane is given by a subscription and a
-- subject. Returns whether one became due. Requires the locks of the lanes.
CREATE FUNCTION advance_lanes(p_subscriptions bigint[], p_subjects text[]) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  heads bigint[] := ARRAY(
    SELECT first.position
    FROM (
      SELECT DISTINCT each.subscription, each.subject COLLATE "C" AS subject
      FROM unnest(p_subscriptions, p_subjects) AS each (subscription, subject)
    ) AS lane
    CROSS JOIN LATERAL (
      SELECT d.position, d.event, e.waits_for FROM wabakit.deliveries d JOIN wabakit.events e ON e.position = d.event
      WHERE d.subscription = lane.subscription AND d.subject = lane.subject AND d.status = 'waiting'
      ORDER BY d.event LIMIT 1
    ) AS first
    WHERE NOT is_lane_held(lane.subscription, lane.subject, first.event, first.waits_for)
  );
BEGIN
  -- Usually nothing waits. Then an UPDATE would cost as much as all the rest.
  IF cardinality(heads) = 0 THEN
    RETURN false;
  END IF;
  UPDATE wabakit.deliveries SET status = 'pending', holds_lane = true, due_at = wabakit.clock_ms()
  WHERE position = ANY (heads);
  RETURN true;
END $$;

-- Publishes events in this order: stores them, each with a delivery for each subscription that matches. If ordinals are
-- given, publishes only the events at these, from 1; if a subscription is given, to it alone. An empty object stands for a change without an event. Returns
-- whether a delivery is due.
CREATE FUNCTION publish(p_events json, p_ordinals integer[] DEFAULT NULL, p_subscription text DEFAULT NULL)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  published wabakit.events[] := ARRAY(SELECT e FROM json_populate_recordset(NULL::wabakit.events, p_events) AS e);
  recipients bigint[];
  ordinals integer[];
  is_due boolean;
BEGIN
  published := ARRAY(
    SELECT published[n] FROM generate_series(1, cardinality(published)) AS n
    WHERE (published[n]).id IS NOT NULL AND (p_ordinals IS NULL OR n = ANY (p_ordinals)) ORDER BY n
  );
  SELECT array_agg(s.position), array_agg(e.ordinality) INTO recipients, ordinals
  FROM unnest(published) WITH ORDINALITY AS e
  CROSS JOIN LATERAL (
    SELECT s.position FROM wabakit.subscriptions s
    WHERE s.organization_id = e.organization_id AND s.channel = e.channel AND s.digits = e.digits
      AND (s.events IS NULL OR e.name = ANY (s.events)) AND (p_subscription IS NULL OR s.id = p_subscription)
    OFFSET 0
  ) AS s;
  PERFORM enter_lanes(
    recipients,
    ARRAY(SELECT (published[ordinal]).subject FROM unnest(ordinals) WITH ORDINALITY AS each (ordinal, n) ORDER BY n)
  );
  -- Positions are assigned under the locks of the lanes, so that each lane has its events in the order of their positions.
  FOR n IN 1..cardinality(published) LOOP
    published[n].position := nextval('wabakit.event_positions');
  END LOOP;
  INSERT INTO wabakit.events (position, ${listColumns('events')})
  SELECT e.position, ${listColumns('events', 'e')} FROM unnest(published) AS e;
  WITH added AS (
    INSERT INTO wabakit.deliveries
      (organization_id, subscription, event, event_name, subject, status, holds_lane, due_at, finished_at)
    SELECT
      new.organization_id, new.subscription, new.event, new.name, new.subject, new.status,
      new.status = 'pending',
      CASE new.status WHEN 'pending' THEN wabakit.clock_ms() END,
      CASE new.status WHEN 'skipped' THEN new.occurred_at END
    FROM (
      SELECT e.organization_id, s.position AS subscription, e.position AS event, e.name, e.subject, e.occurred_at, CASE
        WHEN s.disabled_reason IS NOT NULL THEN 'skipped'
        WHEN row_number() OVER (PARTITION BY s.position, e.subject ORDER BY e.position) > 1 THEN 'waiting'
        WHEN EXISTS (
          SELECT FROM wabakit.deliveries d
          WHERE d.subscription = s.position AND d.subject = e.subject AND d.status = 'waiting' OFFSET 0
        ) OR EXISTS (
          SELECT FROM wabakit.deliveries d
          WHERE d.subscription = s.position AND d.subject = e.subject AND d.holds_lane OFFSET 0
        ) OR e.waits_for IS NOT NULL AND is_lane_held(s.position, e.subject, e.position, e.waits_for)
        THEN 'waiting'
        ELSE 'pending'
      END AS status
      FROM unnest(recipients, ordinals) AS recipient (subscription, ordinal)
      JOIN unnest(published) WITH ORDINALITY AS e ON e.ordinality = recipient.ordinal
      CROSS JOIN LATERAL (
        SELECT s.position, s.disabled_reason FROM wabakit.subscriptions s WHERE s.position = recipient.subscription OFFSET 0
      ) AS s
      ORDER BY e.position, s.position
    ) AS new
    RETURNING due_at
  )
  SELECT bool_or(due_at IS NOT NULL) INTO is_due FROM added;
  RETURN coalesce(is_due, false);
END $$;

CREATE FUNCTION add_events(p_organizations text[], p_events json, p_subscription text DEFAULT NULL)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM enter_organizations(p_organizations);
  RETURN publish(p_events, NULL, p_subscription);
END $$;

-- Waits for the events of an organization that are being written, and returns the last position. A statement that begins
-- after this one sees all events up to that position.
CREATE FUNCTION read_last_position(p_organization_id text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_all('organization', ARRAY[p_organization_id]);
  RETURN (SELECT last_value FROM wabakit.event_positions);
END $$;
`

const { toRow } = mapTable('events')

/** Formats events for `publish`. `null` stands for a change without an event. */
export const formatEvents = (events: ReadonlyArray<EventRecord | null>): string =>
  JSON.stringify(events.map((event) => (event === null ? {} : toRow(event))))

/** Publishes events, to one subscription if it is given. Returns whether a delivery is due. */
export const addEvents = async (
  query: Query,
  events: readonly EventRecord[],
  subscriptionId: string | null = null,
): Promise<boolean> => {
  const organizationIds = events.map(({ organizationId }) => organizationId)
  const [row] = await query<{ due: boolean }>('SELECT add_events($1, $2, $3) AS due', [
    organizationIds,
    formatEvents(events),
    subscriptionId,
  ])
  return row?.due === true
}

/**
 * Returns the last position that a follower may read now. Transactions do not commit in the order of their positions, so a
 * follower that reads further would miss an event that commits later with an earlier position.
 */
export const readLastPosition = async (read: Query, organizationId: string): Promise<string | undefined> => {
  const [row] = await read<{ last: string }>('SELECT read_last_position($1)::text AS last', [organizationId])
  return row?.last
}
