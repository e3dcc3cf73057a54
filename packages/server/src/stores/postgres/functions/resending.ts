import type { DeliveryStatus } from '@wabakit/core'
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
  due := advance_lanes(p_deliveries);
END $$;
`

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
