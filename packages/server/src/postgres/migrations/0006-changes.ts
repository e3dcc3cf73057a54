/**
 * Changes of records, each with the event it reports and the deliveries of that event. Several are made at once, each
 * of another record, which are touched in the order of their keys, so that nobody waits in a circle. `done` are the
 * places, from 1, of those that were made as they were asked for.
 */
export const changes = /* sql */ `
CREATE FUNCTION wabakit.create_groups(
  p_organizations text[], p_groups json, p_events json, OUT done integer[], OUT kept json, OUT due boolean
) LANGUAGE plpgsql AS $$
DECLARE
  wanted wabakit.groups[];
BEGIN
  PERFORM wabakit.limit_patience(cardinality(p_organizations));
  PERFORM wabakit.enter_organizations(p_organizations);
  wanted := ARRAY(
    SELECT ROW(r.*)::wabakit.groups FROM json_to_recordset(p_groups) AS r (
      "organizationId" text, "clientCustomGroupId" text, "requestHash" text, "wabaNumber" text, digits text,
      subject text, description text, "joinApprovalMode" text, "inviteLink" text, "createdAt" bigint
    )
  );
  WITH created AS (
    INSERT INTO wabakit.groups SELECT g.* FROM unnest(wanted) AS g ORDER BY g.organization_id, g.client_custom_group_id
    ON CONFLICT DO NOTHING RETURNING organization_id, client_custom_group_id
  )
  SELECT coalesce(array_agg(g.ordinality), '{}') INTO done FROM unnest(wanted) WITH ORDINALITY AS g
  JOIN created USING (organization_id, client_custom_group_id);
  due := wabakit.tell(p_events, done);
  -- What is there instead of the others.
  SELECT json_agg(json_build_object(
    'place', g.ordinality,
    'outcome', CASE WHEN (existing.row).request_hash = g.request_hash THEN 'same' ELSE 'conflict' END,
    'group', wabakit.record(existing.row)
  )) INTO kept
  FROM unnest(wanted) WITH ORDINALITY AS g
  CROSS JOIN LATERAL (
    SELECT e AS row FROM wabakit.groups e
    WHERE e.organization_id = g.organization_id AND e.client_custom_group_id = g.client_custom_group_id OFFSET 0
  ) AS existing
  WHERE NOT g.ordinality = ANY (done);
END $$;

CREATE FUNCTION wabakit.save_participants(
  p_organizations text[], p_participants json, p_events json, OUT done integer[], OUT due boolean
) LANGUAGE plpgsql AS $$
DECLARE
  wanted wabakit.participants[];
BEGIN
  PERFORM wabakit.limit_patience(cardinality(p_organizations));
  PERFORM wabakit.enter_organizations(p_organizations);
  wanted := ARRAY(
    SELECT ROW(r.*)::wabakit.participants FROM json_to_recordset(p_participants) AS r (
      "organizationId" text, "groupId" text, digits text, phone text, revision integer, state text, "changedAt" bigint
    )
  );
  WITH saved AS (
    INSERT INTO wabakit.participants AS current
    SELECT p.* FROM unnest(wanted) AS p
    WHERE p.revision = 1 OR EXISTS (
      SELECT FROM wabakit.participants e
      WHERE e.organization_id = p.organization_id AND e.group_id = p.group_id AND e.digits = p.digits OFFSET 0
    )
    ORDER BY p.organization_id, p.group_id, p.digits
    ON CONFLICT (organization_id, group_id, digits) DO UPDATE SET
      phone = EXCLUDED.phone, revision = EXCLUDED.revision, state = EXCLUDED.state, changed_at = EXCLUDED.changed_at
    WHERE current.revision = EXCLUDED.revision - 1
    RETURNING organization_id, group_id, digits
  )
  SELECT coalesce(array_agg(p.ordinality), '{}') INTO done FROM unnest(wanted) WITH ORDINALITY AS p
  JOIN saved USING (organization_id, group_id, digits);
  due := wabakit.tell(p_events, done);
END $$;

CREATE FUNCTION wabakit.save_calls(
  p_organizations text[], p_calls json, p_events json, OUT done integer[], OUT due boolean
) LANGUAGE plpgsql AS $$
DECLARE
  wanted wabakit.calls[];
BEGIN
  PERFORM wabakit.limit_patience(cardinality(p_organizations));
  PERFORM wabakit.enter_organizations(p_organizations);
  wanted := ARRAY(
    SELECT ROW(r.*)::wabakit.calls FROM json_to_recordset(p_calls) AS r (
      "organizationId" text, "callId" text, revision integer, state text, channel text, direction text,
      "channelNumber" text, digits text, "customerNumber" text, "agentNumber" text, "callType" text,
      "triggeredVia" text, "emitsEvents" boolean, "initiatedAt" bigint, "startedAt" bigint, "endedAt" bigint,
      "durationInSeconds" double precision, recorded boolean, spoken boolean
    )
  );
  WITH saved AS (
    INSERT INTO wabakit.calls AS current
    SELECT c.* FROM unnest(wanted) AS c
    WHERE c.revision = 1 OR EXISTS (
      SELECT FROM wabakit.calls e WHERE e.organization_id = c.organization_id AND e.call_id = c.call_id OFFSET 0
    )
    ORDER BY c.organization_id, c.call_id
    ON CONFLICT (organization_id, call_id) DO UPDATE SET
      revision = EXCLUDED.revision, state = EXCLUDED.state, channel = EXCLUDED.channel,
      direction = EXCLUDED.direction, channel_number = EXCLUDED.channel_number, digits = EXCLUDED.digits,
      customer_number = EXCLUDED.customer_number, agent_number = EXCLUDED.agent_number,
      call_type = EXCLUDED.call_type, triggered_via = EXCLUDED.triggered_via, emits_events = EXCLUDED.emits_events,
      initiated_at = EXCLUDED.initiated_at, started_at = EXCLUDED.started_at, ended_at = EXCLUDED.ended_at,
      duration_in_seconds = EXCLUDED.duration_in_seconds, recorded = EXCLUDED.recorded, spoken = EXCLUDED.spoken
    WHERE current.revision = EXCLUDED.revision - 1
    RETURNING organization_id, call_id
  )
  SELECT coalesce(array_agg(c.ordinality), '{}') INTO done FROM unnest(wanted) WITH ORDINALITY AS c
  JOIN saved USING (organization_id, call_id);
  due := wabakit.tell(p_events, done);
END $$;

CREATE FUNCTION wabakit.save_summaries(
  p_organizations text[], p_summaries json, p_events json, OUT done integer[], OUT due boolean
) LANGUAGE plpgsql AS $$
DECLARE
  wanted wabakit.summaries[];
BEGIN
  PERFORM wabakit.limit_patience(cardinality(p_organizations));
  PERFORM wabakit.enter_organizations(p_organizations);
  wanted := ARRAY(
    SELECT ROW(r.*)::wabakit.summaries FROM json_to_recordset(p_summaries) AS r (
      "organizationId" text, "callId" text, summary json, "generatedBy" text, "generatedAt" bigint
    )
  );
  WITH first AS (
    INSERT INTO wabakit.summaries SELECT s.* FROM unnest(wanted) AS s ORDER BY s.organization_id, s.call_id
    ON CONFLICT DO NOTHING RETURNING organization_id, call_id
  )
  SELECT coalesce(array_agg(s.ordinality), '{}') INTO done FROM unnest(wanted) WITH ORDINALITY AS s
  JOIN first USING (organization_id, call_id);
  UPDATE wabakit.summaries e SET summary = s.summary, generated_by = s.generated_by, generated_at = s.generated_at
  FROM unnest(wanted) WITH ORDINALITY AS s
  WHERE NOT s.ordinality = ANY (done) AND e.organization_id = s.organization_id AND e.call_id = s.call_id;
  due := wabakit.tell(p_events, done);
END $$;
`
