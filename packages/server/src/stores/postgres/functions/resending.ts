import type { DeliveryRequestAt, DeliveryStatus } from '@wabakit/core'
import { parseDeliveryId } from '../../delivery-id.ts'
import type { Query } from '../query.ts'

/** Resending deliveries. */
export const resendingFunctions = /* sql */ `
-- Puts deliveries back into their lanes: those that are finished or pending and, if statuses are given, have one of them.
-- Returns their number, and whether any delivery is due now.
CREATE FUNCTION resend_deliveries(
  p_deliveries bigint[], p_statuses text[], p_webhook_id_suffix text, OUT resent integer, OUT due boolean
) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_all('subscription', ARRAY(
    SELECT d.subscription::text FROM wabakit.deliveries d WHERE d.position = ANY (p_deliveries)
  ));
  UPDATE wabakit.deliveries d SET
    status = 'waiting', claim_id = NULL, worker = NULL, due_at = NULL, holds_lane = false, failures = 0,
    deferrals = 0, deferred_ms = 0, finished_at = NULL,
    webhook_id = CASE WHEN p_webhook_id_suffix IS NULL THEN d.webhook_id ELSE e.id || p_webhook_id_suffix END
  FROM wabakit.events e, wabakit.subscriptions s
  WHERE d.position = ANY (p_deliveries) AND e.position = d.event
    AND s.position = d.subscription AND s.disabled_reason IS NULL
    AND d.status NOT IN ('waiting', 'claimed') AND (p_statuses IS NULL OR d.status = ANY (p_statuses));
  GET DIAGNOSTICS resent = ROW_COUNT;
  SELECT advance_lanes(array_agg(d.subscription), array_agg(d.subject)) INTO due
  FROM wabakit.deliveries d WHERE d.position = ANY (p_deliveries);
END $$;

-- Finishes a delivery as skipped, unless it is finished or being attempted. Returns whether it did, and whether the next
-- one of its lane is due.
CREATE FUNCTION cancel_delivery(
  p_organization_id text, p_subscription bigint, p_event bigint, OUT changed boolean, OUT due boolean
) LANGUAGE plpgsql AS $$
DECLARE
  lane record;
BEGIN
  PERFORM lock_all('subscription', ARRAY[p_subscription::text]);
  UPDATE wabakit.deliveries d
  SET status = 'skipped', due_at = NULL, holds_lane = false, finished_at = wabakit.clock_ms()
  WHERE d.subscription = p_subscription AND d.event = p_event AND d.organization_id = p_organization_id
    AND d.status IN ('waiting', 'pending')
  RETURNING d.subscription, d.subject INTO lane;
  changed := FOUND;
  due := changed AND advance_lanes(ARRAY[lane.subscription], ARRAY[lane.subject]);
END $$;

-- Makes a pending delivery due now. Returns whether it did.
CREATE FUNCTION retry_delivery(p_organization_id text, p_subscription bigint, p_event bigint)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_all('subscription', ARRAY[p_subscription::text]);
  UPDATE wabakit.deliveries d SET due_at = wabakit.clock_ms()
  WHERE d.subscription = p_subscription AND d.event = p_event AND d.organization_id = p_organization_id
    AND d.status = 'pending';
  RETURN FOUND;
END $$;
`

/** Cancels a delivery. See {@link Store.cancelDelivery}. */
export const cancelDelivery = async (
  query: Query,
  { organizationId, deliveryId }: DeliveryRequestAt,
): Promise<{ readonly changed: boolean; readonly due: boolean }> => {
  const { subscription, event } = parseDeliveryId(deliveryId)
  const values = [organizationId, subscription, event]
  const [row] = await query<{ changed: boolean; due: boolean }>(
    'SELECT changed, due FROM cancel_delivery($1, $2, $3)',
    values,
  )
  return row ?? { changed: false, due: false }
}

/** Lets the next attempt of a delivery be due. See {@link Store.retryDelivery}. */
export const retryDelivery = async (
  query: Query,
  { organizationId, deliveryId }: DeliveryRequestAt,
): Promise<boolean> => {
  const { subscription, event } = parseDeliveryId(deliveryId)
  const values = [organizationId, subscription, event]
  const [row] = await query<{ changed: boolean }>('SELECT retry_delivery($1, $2, $3) AS changed', values)
  return row?.changed === true
}

export type ResendInput = {
  /** The positions of deliveries. */
  readonly deliveries: readonly string[]
  readonly statuses: readonly DeliveryStatus[] | undefined
  readonly webhookIdSuffix: string | null
}

export const resendDeliveries = async (
  query: Query,
  { deliveries, statuses, webhookIdSuffix }: ResendInput,
): Promise<{ readonly resent: number; readonly due: boolean }> => {
  const [row] = await query<{ resent: number; due: boolean }>(
    'SELECT resent, due FROM resend_deliveries($1, $2, $3)',
    [deliveries, statuses ?? null, webhookIdSuffix],
  )
  return row ?? { resent: 0, due: false }
}
