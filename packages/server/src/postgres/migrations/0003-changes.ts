/**
 * Changes of records, each with the event it reports and the deliveries of that event.
 *
 * Every function that writes relies on READ COMMITTED: each of its statements sees what was committed before it
 * began, and so, after a lock was taken, everything that was done under that lock. Advisory locks are always taken in
 * this order, and those of one kind in the order of their keys, so that nobody waits in a circle:
 *
 * 1. An organization's: shared by all who write into it, exclusive for its removal. A reader who follows its events
 *    takes it exclusively for a moment, and so waits for the events that are being written.
 * 2. A subscription's: shared by all who move its deliveries along, exclusive for those who change, skip, send again or
 *    remove them at once.
 * 3. A lane's: exclusive for whoever moves one of its deliveries.
 *
 * Claims take locks of their own and wait for no row.
 */
export const changes = /* sql */ `
-- The time by which deliveries are due and leases end, in every process.
CREATE FUNCTION wabakit.clock_ms() RETURNS bigint LANGUAGE sql VOLATILE
RETURN floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;

CREATE FUNCTION wabakit.lock_key(p_kind text, p_name text) RETURNS bigint LANGUAGE sql IMMUTABLE
RETURN hashtextextended(p_kind || ' ' || p_name, 0);

CREATE FUNCTION wabakit.enter_organization(p_organization_id text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(wabakit.lock_key('organization', p_organization_id));
  PERFORM FROM wabakit.organizations WHERE id = p_organization_id;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'There is no such organization.' USING ERRCODE = 'WK404', DETAIL = p_organization_id;
  END IF;
END $$;

CREATE FUNCTION wabakit.lock_subscription(p_subscription bigint) RETURNS void LANGUAGE sql
RETURN pg_advisory_xact_lock(wabakit.lock_key('subscription', p_subscription::text));

-- Locks the lanes of a subject, and before that their subscriptions, shared.
CREATE FUNCTION wabakit.enter_lanes(p_subscriptions bigint[], p_subject text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  key bigint;
BEGIN
  FOR key IN
    SELECT wabakit.lock_key('subscription', each::text) FROM unnest(p_subscriptions) AS each ORDER BY 1
  LOOP
    PERFORM pg_advisory_xact_lock_shared(key);
  END LOOP;
  FOR key IN
    SELECT wabakit.lock_key('lane', each || ' ' || p_subject) FROM unnest(p_subscriptions) AS each ORDER BY 1
  LOOP
    PERFORM pg_advisory_xact_lock(key);
  END LOOP;
END $$;

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

CREATE FUNCTION wabakit.save_organization(p_organization json) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  -- New ones are committed one after the other, so that the list grows at its end.
  IF p_organization ->> 'revision' = '1' THEN
    PERFORM pg_advisory_xact_lock(wabakit.lock_key('organizations', ''));
  END IF;
  INSERT INTO wabakit.organizations AS current
    (id, revision, call_summaries, integrations, pstn_numbers, created_at)
  SELECT r.* FROM json_to_record(p_organization) AS r (
    id text, revision integer, "callSummaries" text, integrations json, "pstnNumbers" json, "createdAt" bigint
  )
  WHERE r.revision = 1 OR EXISTS (SELECT FROM wabakit.organizations o WHERE o.id = r.id)
  ON CONFLICT (id) DO UPDATE SET
    revision = EXCLUDED.revision, call_summaries = EXCLUDED.call_summaries, integrations = EXCLUDED.integrations,
    pstn_numbers = EXCLUDED.pstn_numbers, created_at = EXCLUDED.created_at
  WHERE current.revision = EXCLUDED.revision - 1;
  RETURN FOUND;
END $$;

CREATE FUNCTION wabakit.remove_organization(p_organization_id text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  key bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(wabakit.lock_key('organization', p_organization_id));
  FOR key IN
    SELECT wabakit.lock_key('subscription', s.position::text) FROM wabakit.subscriptions s
    WHERE s.organization_id = p_organization_id ORDER BY 1
  LOOP
    PERFORM pg_advisory_xact_lock(key);
  END LOOP;
  DELETE FROM wabakit.attempts a USING wabakit.deliveries d
  WHERE d.organization_id = p_organization_id AND a.delivery = d.position;
  DELETE FROM wabakit.deliveries WHERE organization_id = p_organization_id;
  DELETE FROM wabakit.events WHERE organization_id = p_organization_id;
  DELETE FROM wabakit.subscriptions WHERE organization_id = p_organization_id;
  DELETE FROM wabakit.summaries WHERE organization_id = p_organization_id;
  DELETE FROM wabakit.calls WHERE organization_id = p_organization_id;
  DELETE FROM wabakit.participants WHERE organization_id = p_organization_id;
  DELETE FROM wabakit.groups WHERE organization_id = p_organization_id;
  DELETE FROM wabakit.api_keys WHERE organization_id = p_organization_id;
  DELETE FROM wabakit.organizations WHERE id = p_organization_id;
  RETURN FOUND;
END $$;

CREATE FUNCTION wabakit.add_api_key(p_key json) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM wabakit.enter_organization(p_key ->> 'organizationId');
  INSERT INTO wabakit.api_keys (id, organization_id, hash, label, waba_numbers, created_at)
  SELECT r.id, r."organizationId", r.hash, r.label, wabakit.all_or_some(r."wabaNumbers"), r."createdAt"
  FROM json_to_record(p_key) AS r (
    id text, "organizationId" text, hash text, label text, "wabaNumbers" json, "createdAt" bigint
  )
  ON CONFLICT (hash) DO NOTHING;
  RETURN FOUND;
END $$;

-- Null for "all".
CREATE FUNCTION wabakit.all_or_some(p_names json) RETURNS text[] LANGUAGE sql IMMUTABLE
RETURN CASE json_typeof(p_names) WHEN 'array' THEN ARRAY(SELECT json_array_elements_text(p_names)) END;

CREATE FUNCTION wabakit.create_group(p_group json, p_event json, OUT outcome text, OUT kept json, OUT due boolean)
LANGUAGE plpgsql AS $$
DECLARE
  wanted wabakit.groups;
  existing wabakit.groups;
BEGIN
  SELECT r.* INTO wanted FROM json_to_record(p_group) AS r (
    "organizationId" text, "clientCustomGroupId" text, "requestHash" text, "wabaNumber" text, digits text,
    subject text, description text, "joinApprovalMode" text, "inviteLink" text, "createdAt" bigint
  );
  PERFORM wabakit.enter_organization(wanted.organization_id);
  INSERT INTO wabakit.groups SELECT wanted.* ON CONFLICT DO NOTHING;
  IF FOUND THEN
    outcome := 'created';
    kept := p_group;
    due := wabakit.tell(p_event);
  ELSE
    SELECT g.* INTO existing FROM wabakit.groups g
    WHERE g.organization_id = wanted.organization_id AND g.client_custom_group_id = wanted.client_custom_group_id;
    outcome := CASE WHEN existing.request_hash = wanted.request_hash THEN 'same' ELSE 'conflict' END;
    kept := wabakit.record(existing);
    due := false;
  END IF;
END $$;

CREATE FUNCTION wabakit.save_participant(p_participant json, p_event json, OUT saved boolean, OUT due boolean)
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM wabakit.enter_organization(p_participant ->> 'organizationId');
  INSERT INTO wabakit.participants AS current
  SELECT r.* FROM json_to_record(p_participant) AS r (
    "organizationId" text, "groupId" text, digits text, phone text, revision integer, state text, "changedAt" bigint
  )
  WHERE r.revision = 1 OR EXISTS (
    SELECT FROM wabakit.participants p
    WHERE p.organization_id = r."organizationId" AND p.group_id = r."groupId" AND p.digits = r.digits
  )
  ON CONFLICT (organization_id, group_id, digits) DO UPDATE SET
    phone = EXCLUDED.phone, revision = EXCLUDED.revision, state = EXCLUDED.state, changed_at = EXCLUDED.changed_at
  WHERE current.revision = EXCLUDED.revision - 1;
  saved := FOUND;
  due := saved AND wabakit.tell(p_event);
END $$;

CREATE FUNCTION wabakit.save_call(p_call json, p_event json, OUT saved boolean, OUT due boolean)
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM wabakit.enter_organization(p_call ->> 'organizationId');
  INSERT INTO wabakit.calls AS current
  SELECT r.* FROM json_to_record(p_call) AS r (
    "organizationId" text, "callId" text, revision integer, state text, channel text, direction text,
    "channelNumber" text, digits text, "customerNumber" text, "agentNumber" text, "callType" text,
    "triggeredVia" text, "emitsEvents" boolean, "initiatedAt" bigint, "startedAt" bigint, "endedAt" bigint,
    "durationInSeconds" double precision, recorded boolean, spoken boolean
  )
  WHERE r.revision = 1 OR EXISTS (
    SELECT FROM wabakit.calls c WHERE c.organization_id = r."organizationId" AND c.call_id = r."callId"
  )
  ON CONFLICT (organization_id, call_id) DO UPDATE SET
    revision = EXCLUDED.revision, state = EXCLUDED.state, channel = EXCLUDED.channel,
    direction = EXCLUDED.direction, channel_number = EXCLUDED.channel_number, digits = EXCLUDED.digits,
    customer_number = EXCLUDED.customer_number, agent_number = EXCLUDED.agent_number,
    call_type = EXCLUDED.call_type, triggered_via = EXCLUDED.triggered_via, emits_events = EXCLUDED.emits_events,
    initiated_at = EXCLUDED.initiated_at, started_at = EXCLUDED.started_at, ended_at = EXCLUDED.ended_at,
    duration_in_seconds = EXCLUDED.duration_in_seconds, recorded = EXCLUDED.recorded, spoken = EXCLUDED.spoken
  WHERE current.revision = EXCLUDED.revision - 1;
  saved := FOUND;
  due := saved AND wabakit.tell(p_event);
END $$;

CREATE FUNCTION wabakit.save_summary(p_summary json, p_event json, OUT is_first boolean, OUT due boolean)
LANGUAGE plpgsql AS $$
DECLARE
  wanted wabakit.summaries;
BEGIN
  SELECT r.* INTO wanted FROM json_to_record(p_summary) AS r (
    "organizationId" text, "callId" text, summary json, "generatedBy" text, "generatedAt" bigint
  );
  PERFORM wabakit.enter_organization(wanted.organization_id);
  INSERT INTO wabakit.summaries SELECT wanted.* ON CONFLICT DO NOTHING;
  is_first := FOUND;
  due := is_first AND wabakit.tell(p_event);
  IF NOT is_first THEN
    UPDATE wabakit.summaries
    SET summary = wanted.summary, generated_by = wanted.generated_by, generated_at = wanted.generated_at
    WHERE organization_id = wanted.organization_id AND call_id = wanted.call_id;
  END IF;
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
