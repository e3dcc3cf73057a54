/** Rows as the records that the core knows. */
export const records = /* sql */ `
CREATE FUNCTION wabakit.record(o wabakit.organizations) RETURNS json LANGUAGE sql STABLE RETURN json_build_object(
  'id', o.id,
  'revision', o.revision,
  'callSummaries', o.call_summaries,
  'integrations', o.integrations,
  'pstnNumbers', o.pstn_numbers,
  'createdAt', o.created_at
);

CREATE FUNCTION wabakit.record(k wabakit.api_keys) RETURNS json LANGUAGE sql STABLE RETURN json_build_object(
  'id', k.id,
  'organizationId', k.organization_id,
  'hash', k.hash,
  'label', k.label,
  'wabaNumbers', coalesce(to_json(k.waba_numbers), '"all"'),
  'createdAt', k.created_at
);

CREATE FUNCTION wabakit.record(g wabakit.groups) RETURNS json LANGUAGE sql STABLE RETURN json_build_object(
  'organizationId', g.organization_id,
  'clientCustomGroupId', g.client_custom_group_id,
  'requestHash', g.request_hash,
  'wabaNumber', g.waba_number,
  'digits', g.digits,
  'subject', g.subject,
  'description', g.description,
  'joinApprovalMode', g.join_approval_mode,
  'inviteLink', g.invite_link,
  'createdAt', g.created_at
);

CREATE FUNCTION wabakit.record(p wabakit.participants) RETURNS json LANGUAGE sql STABLE RETURN json_build_object(
  'organizationId', p.organization_id,
  'groupId', p.group_id,
  'phone', p.phone,
  'digits', p.digits,
  'revision', p.revision,
  'state', p.state,
  'changedAt', p.changed_at
);

CREATE FUNCTION wabakit.record(c wabakit.calls) RETURNS json LANGUAGE sql STABLE RETURN json_build_object(
  'organizationId', c.organization_id,
  'callId', c.call_id,
  'revision', c.revision,
  'state', c.state,
  'channel', c.channel,
  'direction', c.direction,
  'channelNumber', c.channel_number,
  'digits', c.digits,
  'customerNumber', c.customer_number,
  'agentNumber', c.agent_number,
  'callType', c.call_type,
  'triggeredVia', c.triggered_via,
  'emitsEvents', c.emits_events,
  'initiatedAt', c.initiated_at,
  'startedAt', c.started_at,
  'endedAt', c.ended_at,
  'durationInSeconds', c.duration_in_seconds,
  'recorded', c.recorded,
  'spoken', c.spoken
);

CREATE FUNCTION wabakit.record(s wabakit.summaries) RETURNS json LANGUAGE sql STABLE RETURN json_build_object(
  'organizationId', s.organization_id,
  'callId', s.call_id,
  'summary', s.summary,
  'generatedBy', s.generated_by,
  'generatedAt', s.generated_at
);

CREATE FUNCTION wabakit.record(s wabakit.subscriptions) RETURNS json LANGUAGE sql STABLE RETURN json_build_object(
  'id', s.id,
  'organizationId', s.organization_id,
  'revision', s.revision,
  'channel', s.channel,
  'number', s.number,
  'digits', s.digits,
  'url', s.url,
  'events', coalesce(to_json(s.events), '"all"'),
  'secret', s.secret,
  'previousSecret', s.previous_secret,
  'disabledReason', s.disabled_reason,
  'failingSince', s.failing_since,
  'createdAt', s.created_at,
  'updatedAt', s.updated_at
);

CREATE FUNCTION wabakit.record(e wabakit.events) RETURNS json LANGUAGE sql STABLE RETURN json_build_object(
  'id', e.id,
  'organizationId', e.organization_id,
  'name', e.name,
  'subject', e.subject,
  'channel', e.channel,
  'digits', e.digits,
  'payload', e.payload,
  'waitsFor', e.waits_for,
  'occurredAt', e.occurred_at
);

CREATE FUNCTION wabakit.delivery_id(p_event bigint, p_subscription bigint) RETURNS text LANGUAGE sql IMMUTABLE
RETURN 'dlv_' || p_event || '_' || p_subscription;

CREATE FUNCTION wabakit.record(d wabakit.deliveries, e wabakit.events, s wabakit.subscriptions)
RETURNS json LANGUAGE sql STABLE RETURN json_build_object(
  'id', wabakit.delivery_id(d.event, d.subscription),
  'organizationId', d.organization_id,
  'subscriptionId', s.id,
  'eventId', e.id,
  'eventName', d.event_name,
  'subject', d.subject,
  'webhookId', coalesce(d.webhook_id, e.id),
  'status', d.status,
  'dueAt', d.due_at,
  'attempts', d.attempts,
  'failures', d.failures,
  'createdAt', e.occurred_at,
  'finishedAt', d.finished_at
);

CREATE FUNCTION wabakit.record(a wabakit.attempts) RETURNS json LANGUAGE sql STABLE RETURN json_build_object(
  'deliveryId', wabakit.delivery_id(a.event, a.subscription),
  'number', a.number,
  'startedAt', a.started_at,
  'durationMs', a.duration_ms,
  'url', a.url,
  'status', a.status,
  'error', a.error,
  'responseBody', a.response_body,
  'succeeded', a.succeeded
);
`
