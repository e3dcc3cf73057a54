import { listColumns } from '../records.ts'

/**
 * Removing, pruning and erasing. Organizations and subscriptions with a revision of -1 are removed: no function and no
 * query finds them. What they own is removed in small transactions by `continue_removals`, which also skips what disabled
 * subscriptions have left.
 */
export const removals = /* sql */ `
CREATE INDEX organizations_removed ON wabakit.organizations (revision) WHERE revision < 0;
CREATE INDEX subscriptions_removed ON wabakit.subscriptions (revision) WHERE revision < 0;

-- What stays of a summary that is removed: the SHA-256 of the call's id.
CREATE TABLE wabakit.summary_marks (
  organization_id text COLLATE "C",
  hash text COLLATE "C",
  PRIMARY KEY (organization_id, hash)
);

CREATE INDEX calls_by_time ON wabakit.calls (initiated_at);
CREATE INDEX calls_of_customer ON wabakit.calls (organization_id, translate(customer_number, '+ .()-', ''), call_id);
CREATE INDEX participants_by_number ON wabakit.participants (organization_id, digits);
CREATE INDEX participants_former ON wabakit.participants (changed_at) WHERE state <> 'joined';

-- The last step of a participant; null if there was none.
ALTER TABLE wabakit.groups ADD COLUMN active_at bigint;
UPDATE wabakit.groups g SET active_at = (
  SELECT greatest(g.created_at, max(p.changed_at)) FROM wabakit.participants p
  WHERE p.organization_id = g.organization_id AND p.group_id = g.client_custom_group_id
);
CREATE INDEX groups_by_activity ON wabakit.groups (coalesce(active_at, created_at));
CREATE FUNCTION wabakit.note_activity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE wabakit.groups g SET active_at = greatest(g.active_at, g.created_at, NEW.changed_at)
  WHERE g.organization_id = NEW.organization_id AND g.client_custom_group_id = NEW.group_id
    AND g.active_at IS DISTINCT FROM greatest(g.active_at, g.created_at, NEW.changed_at);
  RETURN NULL;
END $$;
CREATE TRIGGER note_activity AFTER INSERT OR UPDATE ON wabakit.participants
  FOR EACH ROW EXECUTE FUNCTION wabakit.note_activity();

CREATE OR REPLACE FUNCTION wabakit.enter_organizations(p_ids text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  missing text;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(key) FROM (
    SELECT DISTINCT wabakit.lock_key('organization', id) AS key FROM unnest(p_ids) AS id ORDER BY 1
  ) AS keys;
  SELECT id INTO missing FROM unnest(p_ids) AS id
  WHERE NOT EXISTS (SELECT FROM wabakit.organizations o WHERE o.id = id.id AND o.revision > 0 OFFSET 0) LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'There is no such organization.' USING ERRCODE = 'WK404', DETAIL = missing;
  END IF;
END $$;

-- Marks subscriptions as removed: they match no event and have nothing due.
CREATE FUNCTION wabakit.mark_removed(p_subscriptions bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  key bigint;
BEGIN
  FOR key IN
    SELECT wabakit.lock_key('subscription', each::text) FROM unnest(p_subscriptions) AS each ORDER BY 1
  LOOP
    PERFORM pg_advisory_xact_lock(key);
  END LOOP;
  UPDATE wabakit.subscriptions
  SET revision = -1, disabled_reason = coalesce(disabled_reason, 'by_hand'), events = '{}'
  WHERE position = ANY (p_subscriptions);
END $$;

CREATE OR REPLACE FUNCTION wabakit.remove_organization(p_organization_id text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(wabakit.lock_key('organization', p_organization_id));
  UPDATE wabakit.organizations SET revision = -1 WHERE id = p_organization_id AND revision > 0;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  DELETE FROM wabakit.api_keys WHERE organization_id = p_organization_id;
  PERFORM wabakit.mark_removed(ARRAY(
    SELECT s.position FROM wabakit.subscriptions s WHERE s.organization_id = p_organization_id
  ));
  RETURN true;
END $$;

CREATE OR REPLACE FUNCTION wabakit.remove_subscription(p_organization_id text, p_id text) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  removed bigint;
BEGIN
  SELECT s.position INTO removed FROM wabakit.subscriptions s
  WHERE s.organization_id = p_organization_id AND s.id = p_id AND s.revision > 0 FOR UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM wabakit.mark_removed(ARRAY[removed]);
  RETURN true;
END $$;

-- Skips some unfinished deliveries of a disabled subscription, and returns their number. Claims in progress can still be
-- settled. Requires the exclusive lock.
DROP FUNCTION wabakit.skip_unfinished(bigint, bigint);
CREATE FUNCTION wabakit.skip_unfinished(p_subscription bigint, p_now bigint) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  most CONSTANT integer := 500;
  changed integer;
BEGIN
  UPDATE wabakit.deliveries SET status = 'skipped', finished_at = p_now, due_at = NULL, holds_lane = false
  WHERE position = ANY (ARRAY(
    (SELECT d.position FROM wabakit.deliveries d WHERE d.subscription = p_subscription AND d.status = 'waiting' LIMIT most)
    UNION ALL
    (SELECT d.position FROM wabakit.deliveries d WHERE d.subscription = p_subscription AND d.due_at IS NOT NULL LIMIT most)
  ));
  GET DIAGNOSTICS changed = ROW_COUNT;
  RETURN changed;
END $$;

-- Removes or skips at most as many rows of one kind, and returns their number; 0 if nothing is left.
CREATE FUNCTION wabakit.continue_removals(p_limit integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  subscription_position bigint;
  moment bigint;
  organization text;
  owned text;
  found_deliveries bigint[];
  changed integer;
BEGIN
  PERFORM pg_advisory_xact_lock(wabakit.lock_key('removals', ''));
  SELECT s.position INTO subscription_position FROM wabakit.subscriptions s WHERE s.revision < 0 LIMIT 1;
  IF FOUND THEN
    PERFORM wabakit.lock_subscription(subscription_position);
    found_deliveries := ARRAY(
      SELECT d.position FROM wabakit.deliveries d WHERE d.subscription = subscription_position ORDER BY d.event LIMIT p_limit
    );
    WITH deleted AS (
      DELETE FROM wabakit.deliveries WHERE position = ANY (found_deliveries) RETURNING subscription, event
    )
    DELETE FROM wabakit.attempts a USING deleted d WHERE a.subscription = d.subscription AND a.event = d.event;
    IF cardinality(found_deliveries) < p_limit THEN
      DELETE FROM wabakit.due_times WHERE subscription = subscription_position;
      DELETE FROM wabakit.subscriptions WHERE position = subscription_position;
    END IF;
    RETURN greatest(1, cardinality(found_deliveries));
  END IF;

  SELECT s.position, s.updated_at INTO subscription_position, moment FROM wabakit.subscriptions s
  WHERE (s.failing_since IS NOT NULL OR s.disabled_reason IS NOT NULL) AND s.disabled_reason IS NOT NULL AND (
    EXISTS (SELECT FROM wabakit.deliveries d WHERE d.subscription = s.position AND d.status = 'waiting' OFFSET 0)
    OR EXISTS (SELECT FROM wabakit.deliveries d WHERE d.subscription = s.position AND d.due_at IS NOT NULL OFFSET 0)
  ) LIMIT 1;
  IF FOUND THEN
    PERFORM wabakit.lock_subscription(subscription_position);
    IF EXISTS (SELECT FROM wabakit.subscriptions s WHERE s.position = subscription_position AND s.disabled_reason IS NOT NULL) THEN
      PERFORM wabakit.skip_unfinished(subscription_position, moment);
    END IF;
    RETURN 1;
  END IF;

  SELECT o.id INTO organization FROM wabakit.organizations o WHERE o.revision < 0 LIMIT 1;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  FOREACH owned IN ARRAY ARRAY['events', 'participants', 'groups', 'calls', 'summaries', 'summary_marks'] LOOP
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

-- Removes calls with their summaries, of which marks stay.
CREATE FUNCTION wabakit.forget_calls(p_organizations text[], p_call_ids text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
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

-- Like before, and a summary is not the first one if there is a mark.
CREATE OR REPLACE FUNCTION wabakit.save_summaries(
  p_organizations text[], p_summaries json, p_events json, OUT done integer[], OUT due boolean
) LANGUAGE plpgsql AS $$
DECLARE
  input wabakit.summaries[];
BEGIN
  PERFORM wabakit.limit_lock_wait(cardinality(p_organizations));
  PERFORM wabakit.enter_organizations(p_organizations);
  input := ARRAY(SELECT r FROM json_populate_recordset(NULL::wabakit.summaries, p_summaries) AS r);
  WITH added AS (
    INSERT INTO wabakit.summaries SELECT s.* FROM unnest(input) AS s ORDER BY s.organization_id, s.call_id
    ON CONFLICT DO NOTHING RETURNING organization_id, call_id
  )
  SELECT coalesce(array_agg(s.ordinality), '{}') INTO done FROM unnest(input) WITH ORDINALITY AS s
  JOIN added USING (organization_id, call_id);
  UPDATE wabakit.summaries e SET (${listColumns('summaries')}) = ROW(${listColumns('summaries', 's')})
  FROM unnest(input) WITH ORDINALITY AS s
  WHERE NOT s.ordinality = ANY (done) AND e.organization_id = s.organization_id AND e.call_id = s.call_id;
  done := ARRAY(
    SELECT n FROM unnest(done) AS n WHERE NOT EXISTS (
      SELECT FROM wabakit.summary_marks m
      WHERE m.organization_id = input[n].organization_id
        AND m.hash = encode(sha256(convert_to(input[n].call_id, 'UTF8')), 'hex') OFFSET 0
    )
  );
  due := wabakit.publish(p_events, done);
END $$;

-- Removes old calls, participants who are no longer in their group, and groups in which nothing has happened.
CREATE FUNCTION wabakit.prune_records(p_before bigint, p_limit integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  organizations text[];
  call_ids text[];
  removed integer;
  changed integer;
BEGIN
  SELECT array_agg(old.organization_id), array_agg(old.call_id) INTO organizations, call_ids FROM (
    SELECT c.organization_id, c.call_id FROM wabakit.calls c
    WHERE c.initiated_at < p_before ORDER BY c.initiated_at LIMIT p_limit FOR UPDATE SKIP LOCKED
  ) AS old;
  PERFORM wabakit.forget_calls(organizations, call_ids);
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
    ) AS g
    CROSS JOIN LATERAL (
      SELECT p.ctid AS row FROM wabakit.participants p
      WHERE p.organization_id = g.organization_id AND p.group_id = g.client_custom_group_id OFFSET 0
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

-- Erases calls, participants (each given by a group and its digits) and events. Returns whether a delivery is due now.
CREATE FUNCTION wabakit.erase(
  p_organization_id text, p_call_ids text[], p_groups text[], p_digits text[], p_event_ids text[]
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  erased bigint[];
  subscriptions bigint[];
  subjects text[];
BEGIN
  erased := ARRAY(
    SELECT e.position FROM wabakit.events e WHERE e.id = ANY (p_event_ids) AND e.organization_id = p_organization_id
  );
  SELECT coalesce(array_agg(d.subscription), '{}'), coalesce(array_agg(d.subject), '{}') INTO subscriptions, subjects
  FROM wabakit.deliveries d WHERE d.organization_id = p_organization_id AND d.event = ANY (erased);
  PERFORM wabakit.enter_lanes(subscriptions, subjects);
  WITH deleted AS (
    DELETE FROM wabakit.deliveries d WHERE d.organization_id = p_organization_id AND d.event = ANY (erased)
    RETURNING d.subscription, d.event
  )
  DELETE FROM wabakit.attempts a USING deleted d WHERE a.subscription = d.subscription AND a.event = d.event;
  DELETE FROM wabakit.events WHERE position = ANY (erased);
  PERFORM wabakit.forget_calls(array_fill(p_organization_id, ARRAY[cardinality(p_call_ids)]), p_call_ids);
  DELETE FROM wabakit.participants p USING unnest(p_groups, p_digits) AS old (group_id, digits)
  WHERE p.organization_id = p_organization_id AND p.group_id = old.group_id AND p.digits = old.digits;
  RETURN wabakit.advance_lanes(ARRAY(
    SELECT next.position FROM unnest(subscriptions, subjects) AS lane (subscription, subject)
    CROSS JOIN LATERAL (
      SELECT d.position FROM wabakit.deliveries d
      WHERE d.subscription = lane.subscription AND d.subject = lane.subject AND d.status = 'waiting'
      ORDER BY d.event LIMIT 1
    ) AS next
  ));
END $$;
`
