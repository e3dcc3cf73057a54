/** Changes of records, each with the event it reports and the deliveries of that event. */
export const changes = /* sql */ `
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
`
