import { saveSubscription } from './0007-subscriptions.ts'
import { claimDeliveries } from './0008-claims.ts'
import { settlements } from './0009-settlements.ts'

/** Deliveries that their endpoint deferred, and the headers of subscriptions. */
export const deferrals = /* sql */ `
ALTER TABLE wabakit.subscriptions ADD COLUMN headers json NOT NULL DEFAULT '{}';
ALTER TABLE wabakit.deliveries
  ADD COLUMN deferrals integer NOT NULL DEFAULT 0, ADD COLUMN deferred_ms bigint NOT NULL DEFAULT 0;
ALTER TABLE wabakit.attempts ADD COLUMN deferred boolean NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION wabakit.delivery_record(d wabakit.deliveries, e wabakit.events, s wabakit.subscriptions)
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
  'deferrals', d.deferrals,
  'deferredMs', d.deferred_ms,
  'createdAt', e.occurred_at,
  'finishedAt', d.finished_at
);

DROP FUNCTION wabakit.claim_deliveries, wabakit.settle_deliveries, wabakit.resend_deliveries;
DROP TYPE wabakit.settled;
${saveSubscription}
${claimDeliveries}
${settlements}`
