import type { EventRecord } from '@wabakit/core'
import { kept, progress } from '../progress.ts'
import { callFunction, type Query } from '../query.ts'
import { listColumns, mapTable } from '../records.ts'
import { type AddedRow, isHead, pendingColumns, queueColumns } from './lanes.ts'

/** All deliveries: the rows of `unfinished_deliveries` and the finished ones. */
export const allDeliveries = /* sql */ `(
  SELECT
    p.subscription, p.event, p.organization_id, p.state, p.lane, p.waits, ${kept.of('p')}, p.due_at, ${progress.of('p')}, NULL::bigint AS finished_at
  FROM wabakit.unfinished_deliveries p
  UNION ALL
  SELECT
    f.subscription, f.event, f.organization_id, f.state, NULL::bigint, NULL::boolean, ${kept.of('f')}, NULL::bigint,
    ${progress.of('f')}, f.finished_at
  FROM wabakit.deliveries f
)`

/** All attempts: the rows of `attempts`, and the successful attempts that the rows of deliveries contain. */
export const allAttempts = /* sql */ `(
  SELECT
    a.subscription, a.event, a.number, a.started_at, a.duration_ms, a.url, a.status, a.error, a.response_body, a.succeeded,
    a.deferred
  FROM wabakit.attempts a
  UNION ALL
  SELECT
    f.subscription, f.event, f.attempts, f.started_at, f.duration_ms, f.url, f.status, NULL, f.response_body, true, false
  FROM wabakit.deliveries f WHERE f.started_at IS NOT NULL
)`

/** The status of a delivery `d`. The database does not know whether it is being attempted. */
export const deliveryStatus = /* sql */ `(
  CASE WHEN d.state = 'fresh' THEN (SELECT CASE WHEN ${isHead} THEN 'pending' ELSE 'waiting' END FROM (SELECT d.*) AS p)
  WHEN d.state IN ('started', 'passable') THEN 'pending' ELSE d.state END
)`

/**
 * A delivery as the core's record: the columns of `d` (see {@link allDeliveries}), `events e` and
 * `subscriptions s`.
 */
export const deliveryColumns = /* sql */ `
  'dlv_' || d.event || '_' || d.subscription AS id, d.organization_id AS "organizationId", s.id AS "subscriptionId",
  e.id AS "eventId", e.name AS "eventName", e.subject, coalesce(d.webhook_id, e.id) AS "webhookId", status.status,
  CASE status.status WHEN 'pending' THEN d.due_at END AS "dueAt", ${progress.fieldsOf('d')},
  e.occurred_at AS "createdAt", d.finished_at AS "finishedAt"
  FROM (SELECT ${deliveryStatus} AS status) AS status`

export const eventFunctions = /* sql */ `
-- Publishes events in the given order: stores them, each with a delivery for each matching subscription. If ordinals
-- (from 1) are given, publishes only these events; if a subscription is given, publishes to it alone, if it matches. An empty object
-- stands for a change without an event. Returns the added deliveries that are unfinished.
CREATE FUNCTION publish(p_events json, p_ordinals integer[] DEFAULT NULL, p_subscription text DEFAULT NULL)
RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  published wabakit.events[] := ARRAY(SELECT e FROM json_populate_recordset(NULL::wabakit.events, p_events) AS e);
  recipients bigint[];
  ordinals integer[];
  places tid[];
  added json;
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
  PERFORM share_all('subscription', recipients::text[]);
  PERFORM lock_all('subject', ARRAY(SELECT e.organization_id || ' ' || e.subject FROM unnest(published) AS e));
  -- Positions are assigned under the locks of the subjects, so that each lane has its events in position order.
  FOR n IN 1..cardinality(published) LOOP
    published[n].position := nextval('wabakit.event_positions');
  END LOOP;
  INSERT INTO wabakit.events (position, ${listColumns('events')})
  SELECT e.position, ${listColumns('events', 'e')} FROM unnest(published) AS e;
  WITH new AS MATERIALIZED (
    SELECT e.organization_id, s.position AS subscription, e.position AS event, e.subject, e.waits_for, e.occurred_at, s.is_disabled
    FROM unnest(recipients, ordinals) AS recipient (subscription, ordinal)
    JOIN unnest(published) WITH ORDINALITY AS e ON e.ordinality = recipient.ordinal
    CROSS JOIN LATERAL (
      SELECT s.position, s.disabled_reason IS NOT NULL AS is_disabled FROM wabakit.subscriptions s
      WHERE s.position = recipient.subscription OFFSET 0
    ) AS s
    ORDER BY e.position, s.position
  ), skipped AS (
    INSERT INTO wabakit.deliveries
      (subscription, event, organization_id, state, version, ${progress.names}, finished_at)
    SELECT n.subscription, n.event, n.organization_id, 'skipped', 0, ${progress.initial}, n.occurred_at FROM new n WHERE n.is_disabled
  ), inserted AS (
    INSERT INTO wabakit.unfinished_deliveries (subscription, event, organization_id, lane, waits, due_at)
    SELECT n.subscription, n.event, n.organization_id, wabakit.lane_of(n.subscription, n.subject), n.waits_for IS NOT NULL, n.occurred_at
    FROM new n WHERE NOT n.is_disabled
    RETURNING ctid AS place
  ) SELECT array_agg(i.place) INTO places FROM inserted i;
  SELECT json_agg(row_to_json(reported)) INTO added
  FROM (
    SELECT ${queueColumns}, ${pendingColumns}, ${isHead} AS "isHead"
    FROM wabakit.unfinished_deliveries p
    CROSS JOIN LATERAL (SELECT * FROM wabakit.subscriptions s WHERE s.position = p.subscription OFFSET 0) AS s
    WHERE p.ctid = ANY (places)
  ) AS reported;
  RETURN added;
END $$;

CREATE FUNCTION add_events(p_organizations text[], p_events json, p_subscription text DEFAULT NULL)
RETURNS json LANGUAGE plpgsql AS $$
BEGIN
  PERFORM enter_organizations(p_organizations);
  RETURN publish(p_events, NULL, p_subscription);
END $$;

-- Waits for an organization's events that are being written, and returns the last position. A statement that starts
-- after this one sees all events of the organization up to that position.
CREATE FUNCTION read_last_position(p_organization_id text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_all('organization', ARRAY[p_organization_id]);
  RETURN (SELECT last_value FROM wabakit.event_positions);
END $$;
`

const { toRow } = mapTable('events')

/** Formats events for `publish`. `null` means a change without an event. */
export const formatEvents = (events: ReadonlyArray<EventRecord | null>): string =>
  JSON.stringify(events.map((event) => (event === null ? {} : toRow(event))))

/** Publishes events. With a `subscriptionId`, only that subscription gets them. Returns the added deliveries. */
export const addEvents = async (
  query: Query,
  events: readonly EventRecord[],
  subscriptionId: string | null = null,
): Promise<readonly AddedRow[]> => {
  const values = [events.map(({ organizationId }) => organizationId), formatEvents(events), subscriptionId]
  return (await callFunction<AddedRow[]>(query, 'add_events($1, $2, $3)', values)) ?? []
}
