/** Deliveries as the core's records. The rows of other tables are mapped outside the database. */
export const records = /* sql */ `
CREATE FUNCTION wabakit.delivery_id(p_event bigint, p_subscription bigint) RETURNS text LANGUAGE sql IMMUTABLE
RETURN 'dlv_' || p_event || '_' || p_subscription;

CREATE FUNCTION wabakit.delivery_record(d wabakit.deliveries, e wabakit.events, s wabakit.subscriptions)
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
`
