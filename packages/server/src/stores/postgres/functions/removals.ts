import { longestSpanMs } from '@wabakit/core/storage'
import { allDeliveries } from './events.ts'

/**
 * Functions that remove, prune and erase records. Organizations and subscriptions with a revision of -1 are removed: the
 * methods of the store no longer find them. `continue_removals` removes their records in small transactions, and skips the
 * deliveries of disabled subscriptions.
 */
export const removalFunctions = /* sql */ `
-- Deletes deliveries, each given by its subscription and event, with their attempts. Returns the number of deliveries.
CREATE FUNCTION delete_deliveries(p_subscriptions bigint[], p_events bigint[]) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  changed integer;
  removed integer;
BEGIN
  DELETE FROM wabakit.unfinished_deliveries WHERE ctid = ANY (ARRAY(
    SELECT p.place FROM unnest(p_subscriptions, p_events) AS k (subscription, event) CROSS JOIN LATERAL (
      SELECT p.ctid AS place FROM wabakit.unfinished_deliveries p WHERE p.subscription = k.subscription AND p.event = k.event OFFSET 0
    ) AS p
  ));
  GET DIAGNOSTICS removed = ROW_COUNT;
  DELETE FROM wabakit.deliveries WHERE ctid = ANY (ARRAY(
    SELECT f.place FROM unnest(p_subscriptions, p_events) AS k (subscription, event) CROSS JOIN LATERAL (
      SELECT f.ctid AS place FROM wabakit.deliveries f WHERE f.subscription = k.subscription AND f.event = k.event OFFSET 0
    ) AS f
  ));
  GET DIAGNOSTICS changed = ROW_COUNT;
  DELETE FROM wabakit.attempts WHERE ctid = ANY (ARRAY(
    SELECT a.place FROM unnest(p_subscriptions, p_events) AS k (subscription, event) CROSS JOIN LATERAL (
      SELECT a.ctid AS place FROM wabakit.attempts a WHERE a.subscription = k.subscription AND a.event = k.event OFFSET 0
    ) AS a
  ));
  RETURN removed + changed;
END $$;

-- Removes at most p_limit records of one kind, or skips at most 1,000 deliveries. Attempts are removed with their deliveries,
-- and the figures of a subscription with its last deliveries; neither is counted. Returns 0 if nothing is left.
CREATE FUNCTION continue_removals(p_limit integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  subscription_position bigint;
  moment bigint;
  organization text;
  owned text;
  found_events bigint[];
  changed integer;
BEGIN
  PERFORM lock_all('removals', ARRAY['']);
  SELECT s.position INTO subscription_position FROM wabakit.subscriptions s WHERE s.revision < 0 LIMIT 1;
  IF FOUND THEN
    PERFORM lock_all('subscription', ARRAY[subscription_position::text]);
    found_events := ARRAY(
      (SELECT p.event FROM wabakit.unfinished_deliveries p WHERE p.subscription = subscription_position ORDER BY p.event LIMIT p_limit)
      UNION ALL
      (SELECT f.event FROM wabakit.deliveries f WHERE f.subscription = subscription_position ORDER BY f.event LIMIT p_limit)
      LIMIT p_limit
    );
    PERFORM delete_deliveries(array_fill(subscription_position, ARRAY[cardinality(found_events)]), found_events);
    IF cardinality(found_events) < p_limit THEN
      PERFORM lock_all('figures', ARRAY['']);
      PERFORM FROM wabakit.figures f JOIN wabakit.subscriptions s ON f.organization_id = s.organization_id AND f.subscription_id = s.id
      WHERE s.position = subscription_position ORDER BY f.at, f.span FOR UPDATE OF f;
      DELETE FROM wabakit.figures f USING wabakit.subscriptions s
      WHERE s.position = subscription_position AND f.organization_id = s.organization_id AND f.subscription_id = s.id;
      DELETE FROM wabakit.subscriptions WHERE position = subscription_position;
    END IF;
    RETURN greatest(1, cardinality(found_events));
  END IF;

  SELECT s.position, s.updated_at INTO subscription_position, moment FROM wabakit.subscriptions s
  WHERE (s.failing_since IS NOT NULL OR s.disabled_reason IS NOT NULL) AND s.disabled_reason IS NOT NULL
    AND EXISTS (SELECT FROM wabakit.unfinished_deliveries p WHERE p.subscription = s.position OFFSET 0) LIMIT 1;
  IF FOUND THEN
    PERFORM lock_all('subscription', ARRAY[subscription_position::text]);
    IF EXISTS (SELECT FROM wabakit.subscriptions s WHERE s.position = subscription_position AND s.disabled_reason IS NOT NULL) THEN
      PERFORM skip_unfinished(subscription_position, moment);
    END IF;
    RETURN 1;
  END IF;

  SELECT o.id INTO organization FROM wabakit.organizations o WHERE o.revision < 0 LIMIT 1;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  PERFORM lock_all('figures', ARRAY['']);
  FOREACH owned IN ARRAY ARRAY['events', 'participants', 'groups', 'calls', 'summaries', 'summary_marks', 'figures'] LOOP
    EXECUTE format(
      'DELETE FROM wabakit.%1$I WHERE ctid = ANY (ARRAY(SELECT ctid FROM wabakit.%1$I WHERE organization_id = $1 LIMIT $2))',
      owned
    ) USING organization, p_limit;
    GET DIAGNOSTICS changed = ROW_COUNT;
    IF changed > 0 THEN
      RETURN changed;
    END IF;
  END LOOP;
  DELETE FROM wabakit.organizations WHERE id = organization;
  RETURN 1;
END $$;

-- Removes calls with their summaries, keeping marks of the summaries.
CREATE FUNCTION forget_calls(p_organizations text[], p_call_ids text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- A statement that deletes rows does not lock them in key order. While a call is locked, its summary cannot be saved.
  PERFORM FROM wabakit.calls c JOIN unnest(p_organizations, p_call_ids) AS old (organization_id, call_id)
  ON c.organization_id = old.organization_id AND c.call_id = old.call_id
  ORDER BY c.organization_id, c.call_id FOR UPDATE OF c;
  DELETE FROM wabakit.calls c USING unnest(p_organizations, p_call_ids) AS old (organization_id, call_id)
  WHERE c.organization_id = old.organization_id AND c.call_id = old.call_id;
  WITH removed AS (
    DELETE FROM wabakit.summaries s USING unnest(p_organizations, p_call_ids) AS old (organization_id, call_id)
    WHERE s.organization_id = old.organization_id AND s.call_id = old.call_id
    RETURNING s.organization_id, s.call_id
  )
  INSERT INTO wabakit.summary_marks
  SELECT r.organization_id, encode(sha256(convert_to(r.call_id, 'UTF8')), 'hex') FROM removed r ON CONFLICT DO NOTHING;
END $$;

-- Removes what is older than p_before, at most p_limit of each kind: hourly figures and, oldest first from the given times,
-- finished deliveries and events without deliveries. Returns their number, and the times of the last deliveries and events.
-- The next call starts there, which skips entries of removed rows that stay in the indexes until the next vacuum.
CREATE FUNCTION prune(
  p_before bigint, p_limit integer, p_finished_from bigint, p_occurred_from bigint,
  OUT removed integer, OUT finished_from bigint, OUT occurred_from bigint
) LANGUAGE plpgsql AS $$
DECLARE
  subscriptions bigint[];
  events bigint[];
  unused bigint[];
  changed integer;
BEGIN
  SELECT array_agg(found.subscription), array_agg(found.event), max(found.finished_at)
  INTO subscriptions, events, finished_from FROM (
    SELECT d.subscription, d.event, d.finished_at FROM wabakit.deliveries d
    WHERE d.finished_at >= p_finished_from AND d.finished_at < p_before
    ORDER BY d.finished_at LIMIT p_limit FOR UPDATE SKIP LOCKED
  ) AS found;
  removed := delete_deliveries(subscriptions, events);
  SELECT array_agg(found.position), max(found.occurred_at) INTO unused, occurred_from FROM (
    SELECT e.position, e.occurred_at FROM wabakit.events e
    WHERE e.occurred_at >= p_occurred_from AND e.occurred_at < p_before AND NOT EXISTS (
      -- OFFSET makes this one index scan for each event. A join would read all deliveries.
      SELECT FROM wabakit.deliveries d WHERE d.organization_id = e.organization_id AND d.event = e.position OFFSET 0
    ) AND NOT EXISTS (
      SELECT FROM wabakit.unfinished_deliveries p WHERE p.organization_id = e.organization_id AND p.event = e.position OFFSET 0
    )
    ORDER BY e.occurred_at LIMIT p_limit FOR UPDATE SKIP LOCKED
  ) AS found;
  DELETE FROM wabakit.events WHERE position = ANY (unused);
  removed := removed + coalesce(cardinality(unused), 0);
  DELETE FROM wabakit.figures WHERE ctid = ANY (ARRAY(
    SELECT f.ctid FROM wabakit.figures f WHERE f.span = ${longestSpanMs} AND f.at < p_before LIMIT p_limit FOR UPDATE SKIP LOCKED
  ));
  GET DIAGNOSTICS changed = ROW_COUNT;
  removed := removed + changed;
  finished_from := coalesce(finished_from, p_finished_from);
  occurred_from := coalesce(occurred_from, p_occurred_from);
END $$;

-- Removes old calls, participants who are no longer in their group, and inactive groups with their participants. Skips what
-- others have locked, because it does not lock rows in key order.
CREATE FUNCTION prune_records(p_before bigint, p_limit integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  organizations text[];
  call_ids text[];
  removed integer;
  changed integer;
BEGIN
  SELECT array_agg(old.organization_id), array_agg(old.call_id) INTO organizations, call_ids FROM (
    SELECT c.organization_id, c.call_id FROM wabakit.calls c
    WHERE c.updated_at < p_before AND NOT EXISTS (
      SELECT FROM wabakit.summaries s
      WHERE s.organization_id = c.organization_id AND s.call_id = c.call_id AND s.generated_at >= p_before
    ) ORDER BY c.updated_at LIMIT p_limit FOR UPDATE OF c SKIP LOCKED
  ) AS old;
  PERFORM forget_calls(organizations, call_ids);
  removed := coalesce(cardinality(call_ids), 0);
  DELETE FROM wabakit.participants WHERE ctid = ANY (ARRAY(
    SELECT p.ctid FROM wabakit.participants p
    WHERE p.state <> 'joined' AND p.changed_at < p_before LIMIT p_limit FOR UPDATE SKIP LOCKED
  ));
  GET DIAGNOSTICS changed = ROW_COUNT;
  removed := removed + changed;
  DELETE FROM wabakit.participants WHERE ctid = ANY (ARRAY(
    SELECT p.row FROM (
      SELECT g.organization_id, g.client_custom_group_id FROM wabakit.groups g
      WHERE coalesce(g.active_at, g.created_at) < p_before ORDER BY coalesce(g.active_at, g.created_at) LIMIT p_limit
      -- A change of a participant locks the group first. Without these locks, a participant who joins meanwhile could be removed.
      FOR UPDATE SKIP LOCKED
    ) AS g
    CROSS JOIN LATERAL (
      SELECT p.ctid AS row FROM wabakit.participants p
      WHERE p.organization_id = g.organization_id AND p.group_id = g.client_custom_group_id OFFSET 0 FOR UPDATE SKIP LOCKED
    ) AS p LIMIT p_limit
  ));
  GET DIAGNOSTICS changed = ROW_COUNT;
  removed := removed + changed;
  DELETE FROM wabakit.groups WHERE ctid = ANY (ARRAY(
    SELECT g.ctid FROM wabakit.groups g
    WHERE coalesce(g.active_at, g.created_at) < p_before AND NOT EXISTS (
      SELECT FROM wabakit.participants p
      WHERE p.organization_id = g.organization_id AND p.group_id = g.client_custom_group_id OFFSET 0
    )
    ORDER BY coalesce(g.active_at, g.created_at) LIMIT p_limit FOR UPDATE SKIP LOCKED
  ));
  GET DIAGNOSTICS changed = ROW_COUNT;
  RETURN removed + changed;
END $$;

-- Erases calls, participants (each given by a group and its digits) and events. Returns the queues of the erased deliveries.
CREATE FUNCTION erase(
  p_organization_id text, p_call_ids text[], p_groups text[], p_digits text[], p_event_ids text[]
) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  erased bigint[];
  subscriptions bigint[];
  events bigint[];
  queues json;
BEGIN
  -- Before all other locks, because removals lock the same rows in another order.
  PERFORM share_all('removals', ARRAY['']);
  -- Before the lock of subscriptions, because changes of these records lock them before they publish.
  PERFORM forget_calls(array_fill(p_organization_id, ARRAY[cardinality(p_call_ids)]), p_call_ids);
  PERFORM FROM wabakit.participants p JOIN unnest(p_groups, p_digits) AS old (group_id, digits)
  ON p.group_id = old.group_id AND p.digits = old.digits
  WHERE p.organization_id = p_organization_id ORDER BY p.group_id, p.digits FOR UPDATE OF p;
  DELETE FROM wabakit.participants p USING unnest(p_groups, p_digits) AS old (group_id, digits)
  WHERE p.organization_id = p_organization_id AND p.group_id = old.group_id AND p.digits = old.digits;
  erased := ARRAY(
    SELECT e.position FROM wabakit.events e WHERE e.id = ANY (p_event_ids) AND e.organization_id = p_organization_id
  );
  PERFORM lock_all('subscription', ARRAY(
    SELECT d.subscription::text FROM ${allDeliveries} AS d
    WHERE d.organization_id = p_organization_id AND d.event = ANY (erased)
  ));
  SELECT array_agg(d.subscription), array_agg(d.event) INTO subscriptions, events FROM ${allDeliveries} AS d
  WHERE d.organization_id = p_organization_id AND d.event = ANY (erased);
  PERFORM delete_deliveries(subscriptions, events);
  DELETE FROM wabakit.events WHERE position = ANY (erased);
  SELECT json_agg(note_change(k.subscription)) INTO queues
  FROM (SELECT DISTINCT subscription FROM unnest(subscriptions) AS subscription ORDER BY 1) AS k;
  RETURN queues;
END $$;
`
