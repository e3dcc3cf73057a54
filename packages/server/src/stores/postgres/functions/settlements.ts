import type { DeliveryRecord, DeliveryStatus, DisabledReason, Settlement } from '@wabakit/core'
import { parseDeliveryId } from '../../delivery-id.ts'
import type { Query } from '../query.ts'
import { deliveryColumns } from './events.ts'

/** Settling deliveries. */
export const settlementFunctions = /* sql */ `
-- Settles claims. The result has no entry for a delivery that is no longer under its claim. If a settlement would disable
-- its subscription and p_may_disable is false, nothing is written for it, and the status in its entry is null. "due" is
-- whether any delivery is due now.
CREATE FUNCTION settle_deliveries(
  p_events bigint[], p_subscriptions bigint[], p_settlements json, p_may_disable boolean, OUT settled json,
  OUT due boolean
) LANGUAGE plpgsql AS $$
DECLARE
  moment bigint;
  disabled_subscription bigint;
  freed bigint[];
  subscriptions bigint[];
  subjects text[];
BEGIN
  PERFORM limit_lock_wait(cardinality(p_events));
  SELECT array_agg(d.subscription), array_agg(d.subject) INTO subscriptions, subjects
  FROM unnest(p_events, p_subscriptions) AS requested (event, subscription)
  CROSS JOIN LATERAL (
    SELECT d.subscription, d.subject FROM wabakit.deliveries d
    WHERE d.subscription = requested.subscription AND d.event = requested.event OFFSET 0
  ) AS d;
  IF p_may_disable THEN
    PERFORM lock_all('subscription', ARRAY[subscriptions[1]::text]);
  ELSE
    PERFORM enter_lanes(subscriptions, subjects);
  END IF;
  moment := wabakit.clock_ms();

  WITH input AS MATERIALIZED (
    SELECT r.*, r.kind IN ('retry', 'exhausted', 'gone') AS failed FROM json_to_recordset(p_settlements) AS r (
      ordinal integer, event bigint, subscription bigint, "claimId" text, "failingLimitMs" bigint, kind text, "delayMs" bigint,
      "releasesLane" boolean, "startedAt" bigint, "durationMs" double precision, url text, status integer,
      error text, "responseBody" text, "isSlow" boolean
    )
  ), judged AS (
    SELECT a.*, d.position, d.status AS status_before, s.id AS subscription_id, s.pace AS pace_before, CASE
      WHEN NOT a.failed OR s.disabled_reason IS NOT NULL THEN NULL
      WHEN a.kind = 'gone' THEN 'gone'
      WHEN moment - coalesce(s.failing_since, moment - a."durationMs") >= a."failingLimitMs" THEN 'failing'
    END AS disabled
    FROM input a
    CROSS JOIN LATERAL (
      SELECT d.position, d.status FROM wabakit.deliveries d
      WHERE d.subscription = a.subscription AND d.event = a.event AND d.claim_id = a."claimId" OFFSET 0
    ) AS d
    CROSS JOIN LATERAL (
      SELECT s.id, s.disabled_reason, s.failing_since, s.pace FROM wabakit.subscriptions s
      WHERE s.position = a.subscription OFFSET 0
    ) AS s
  ), decided AS (
    SELECT j.*, e.id AS event_id, e.occurred_at, CASE
      WHEN j.kind = 'delivered' THEN 'delivered'
      WHEN j.status_before = 'skipped' OR j.kind = 'gone' THEN 'skipped'
      WHEN j.kind = 'exhausted' THEN 'exhausted'
      WHEN j.disabled IS NOT NULL THEN 'skipped'
      ELSE 'pending'
    END AS status_after
    FROM judged j
    CROSS JOIN LATERAL (
      SELECT e.id, e.occurred_at FROM wabakit.events e WHERE e.position = j.event OFFSET 0
    ) AS e
    WHERE j.disabled IS NULL OR p_may_disable
  ), written AS (
    UPDATE wabakit.deliveries d SET
      status = c.status_after,
      claim_id = NULL,
      worker = NULL,
      due_at = CASE c.status_after WHEN 'pending' THEN moment + coalesce(c."delayMs", 0) END,
      holds_lane = c.status_after = 'pending' AND d.holds_lane AND c."releasesLane" IS NOT TRUE,
      attempts = d.attempts + (c.kind <> 'released')::integer,
      failures = d.failures + c.failed::integer,
      deferrals = d.deferrals + (c.kind = 'deferred')::integer,
      deferred_ms = d.deferred_ms + CASE c.kind WHEN 'deferred' THEN c."delayMs" ELSE 0 END,
      finished_at = CASE
        WHEN c.status_after = 'pending' THEN NULL
        WHEN c.status_after = c.status_before THEN d.finished_at
        ELSE moment
      END
    FROM decided c
    WHERE d.position = c.position AND d.claim_id = c."claimId"
    RETURNING c.ordinal, c.disabled, c.kind, c.event_id, c.occurred_at, d AS row, d.attempts, d.subscription
  ), attempted AS (
    INSERT INTO wabakit.attempts
    SELECT
      a.subscription, a.event, w.attempts, a."startedAt", a."durationMs", a.url, a.status, a.error, a."responseBody",
      a.kind = 'delivered', a.kind = 'deferred'
    FROM written w JOIN input a ON a.ordinal = w.ordinal WHERE a.kind <> 'released'
  ), results AS (
    SELECT w.subscription, bool_or(w.kind = 'delivered') AS succeeded,
      floor(moment - max(a."durationMs") FILTER (WHERE a.failed))::bigint AS failing_since, min(w.disabled) AS disabled,
      CASE
        WHEN bool_or(a.failed) THEN 'failing'
        WHEN bool_or(w.kind IN ('delivered', 'deferred') AND a."isSlow") THEN 'slow'
        WHEN bool_or(w.kind = 'delivered') THEN 'quick'
      END AS pace
    FROM written w JOIN input a ON a.ordinal = w.ordinal GROUP BY w.subscription
  ), changed AS (
    -- Locked in this order to prevent deadlocks.
    SELECT r.*, s.position
    FROM wabakit.subscriptions s JOIN results r ON r.subscription = s.position
    WHERE r.disabled IS NOT NULL OR r.succeeded AND s.failing_since IS NOT NULL
      OR NOT r.succeeded AND s.failing_since IS NULL AND r.failing_since IS NOT NULL OR r.pace <> s.pace
    ORDER BY s.position FOR NO KEY UPDATE OF s
  ), updated AS (
    UPDATE wabakit.subscriptions s SET
      failing_since = CASE WHEN NOT c.succeeded THEN coalesce(s.failing_since, c.failing_since) END,
      pace = coalesce(c.pace, s.pace),
      disabled_reason = coalesce(c.disabled, s.disabled_reason),
      revision = s.revision + (c.disabled IS NOT NULL)::integer,
      updated_at = CASE WHEN c.disabled IS NULL THEN s.updated_at ELSE moment END
    FROM changed c WHERE s.position = c.position
  )
  SELECT
    json_agg(result) FILTER (WHERE w.ordinal IS NOT NULL OR j.disabled IS NOT NULL),
    coalesce(bool_or(w.kind = 'released'), false),
    min(w.subscription) FILTER (WHERE w.disabled IS NOT NULL),
    array_agg(DISTINCT w.subscription) FILTER (WHERE j.pace_before <> 'quick')
  INTO settled, due, disabled_subscription, freed
  FROM judged j LEFT JOIN written w ON w.ordinal = j.ordinal
  CROSS JOIN LATERAL (SELECT (w.row).*) AS d
  CROSS JOIN LATERAL (SELECT w.event_id AS id, w.occurred_at) AS e
  CROSS JOIN LATERAL (SELECT j.subscription_id AS id) AS s
  CROSS JOIN LATERAL (SELECT j.ordinal, j.disabled, ${deliveryColumns}) AS result;

  IF disabled_subscription IS NOT NULL THEN
    PERFORM skip_unfinished(disabled_subscription, moment);
    RETURN;
  END IF;
  due := advance_lanes(subscriptions, subjects) OR due;
  IF freed IS NOT NULL THEN
    PERFORM add_next_due_times(freed);
  END IF;
END $$;
`

/** A delivery after its settlement. */
export type Settled = Omit<DeliveryRecord, 'status'> & {
  /** The index of the settlement. */
  readonly ordinal: number
  readonly disabled: DisabledReason | null
  /** `null`: nothing was written, because its subscription would be disabled. */
  readonly status: DeliveryStatus | null
}

export type SettleInput = {
  readonly settlements: readonly Settlement[]
  /** Whether its subscription may be disabled. Then there is one settlement. */
  readonly mayDisable: boolean
}

const toInput = (settlement: Settlement, ordinal: number) => {
  const { deliveryId, claimId, failingLimitMs, isSlow = false, result } = settlement
  return {
    ordinal,
    ...parseDeliveryId(deliveryId),
    ...{ claimId, failingLimitMs, isSlow, ...result },
    ...(result.kind !== 'released' && result.attempt),
  }
}

/** Settles deliveries. Returns what is still under its claim, and whether a delivery is due now. */
export const settleDeliveries = async (query: Query, { settlements, mayDisable }: SettleInput) => {
  const input = settlements.map(toInput)
  const [row] = await query<{ settled: Settled[] | null; due: boolean }>(
    'SELECT settled, due FROM settle_deliveries($1, $2, $3, $4)',
    [
      input.map(({ event }) => event),
      input.map(({ subscription }) => subscription),
      JSON.stringify(input),
      mayDisable,
    ],
  )
  return { settled: row?.settled ?? [], isDue: row?.due === true }
}
