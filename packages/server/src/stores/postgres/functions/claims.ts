import type { DeliveryRecord, EventRecord, Pace, Store } from '@wabakit/core'
import type { Query } from '../query.ts'
import type { JsonRow } from '../records.ts'
import { deliveryColumns } from './events.ts'

/** Claiming deliveries. */
export const claimFunctions = /* sql */ `
-- How many more claims a subscription may have under lease, given how many one may have that is new or failing.
CREATE FUNCTION count_free_slots(
  p_subscription bigint, p_now bigint, p_per_subscription integer, p_alone integer
) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT CASE WHEN s.pace IN ('new', 'failing') THEN p_alone ELSE p_per_subscription END - (
      SELECT count(*) FROM wabakit.deliveries d
      WHERE d.subscription = p_subscription AND d.status = 'claimed' AND d.due_at > p_now
    )
    FROM wabakit.subscriptions s WHERE s.position = p_subscription
  );
END $$;

-- At most p_limit organizations that have due times in a share, in the order of their hashes: from p_from to the end, then
-- from the beginning.
CREATE FUNCTION list_organizations(p_share integer, p_from integer, p_limit integer) RETURNS integer[]
LANGUAGE plpgsql STABLE AS $$
DECLARE
  found integer[] := '{}';
  next integer := p_from;
  is_second_pass boolean := false;
BEGIN
  LOOP
    next := (
      SELECT t.organization FROM wabakit.due_times t WHERE t.share = p_share AND t.organization >= next
      ORDER BY t.organization LIMIT 1
    );
    IF next IS NULL AND NOT is_second_pass THEN
      is_second_pass := true;
      next := -2147483648;
      CONTINUE;
    END IF;
    EXIT WHEN next IS NULL OR is_second_pass AND next >= p_from;
    found := found || next;
    EXIT WHEN cardinality(found) = p_limit OR next = 2147483647;
    next := next + 1;
  END LOOP;
  RETURN found;
END $$;

-- Subscriptions of a share that have something due, in turn between organizations, then between the subscriptions of
-- each. Chance decides who is first in each claim. If there are many, these are the earliest, and some of each of a number
-- of organizations, from a beginning that chance decides: so none is left out forever.
CREATE FUNCTION list_due_subscriptions(
  p_share integer, p_seed bigint, p_now bigint, p_limit integer, p_except integer[]
) RETURNS TABLE (subscription bigint, due_at bigint, organization integer) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
  maximum CONSTANT integer := greatest(128, 2 * p_limit);
  organizations integer[] := '{}';
  number bigint;
BEGIN
  number := (
    SELECT count(*) FROM (
      SELECT FROM wabakit.due_times t WHERE t.share = p_share AND t.due_at <= p_now LIMIT maximum + 1
    ) AS t
  );
  IF number = 0 THEN
    RETURN;
  ELSIF number > maximum THEN
    organizations := list_organizations(p_share, hashint8(p_seed), maximum / 4);
  END IF;
  RETURN QUERY
  SELECT d.subscription, d.due_at, d.organization
  FROM (
    SELECT n.subscription, min(n.due_at) AS due_at, n.organization, row_number() OVER (
      PARTITION BY n.organization ORDER BY hashint8extended(n.subscription, p_seed)
    ) AS turn
    FROM (
      (
        SELECT t.* FROM wabakit.due_times t WHERE t.share = p_share AND t.due_at <= p_now
        ORDER BY t.due_at LIMIT maximum
      )
      UNION ALL
      SELECT t.* FROM unnest(organizations) AS each CROSS JOIN LATERAL (
        SELECT min(t.subscription) + abs(p_seed % (max(t.subscription) - min(t.subscription) + 1)) AS beginning
        FROM wabakit.due_times t WHERE t.share = p_share AND t.organization = each
      ) AS chance CROSS JOIN LATERAL (
        (
          SELECT t.* FROM wabakit.due_times t
          WHERE t.share = p_share AND t.due_at <= p_now AND t.organization = each AND t.subscription >= beginning
          ORDER BY t.subscription
        )
        UNION ALL
        (
          SELECT t.* FROM wabakit.due_times t
          WHERE t.share = p_share AND t.due_at <= p_now AND t.organization = each AND t.subscription < beginning
          ORDER BY t.subscription
        )
        LIMIT maximum / cardinality(organizations)
      ) AS t
    ) AS n
    WHERE p_share = 1 OR n.organization <> ALL (p_except)
    GROUP BY 1, 3
  ) AS d
  ORDER BY d.turn, hashint4extended(d.organization, p_seed);
END $$;

-- Which deliveries of some subscriptions to claim, given their organizations and shares, in the same turns, at most
-- p_limits of each share.
CREATE FUNCTION choose_deliveries(
  p_subscriptions bigint[], p_organizations integer[], p_shares integer[], p_limits integer[], p_now bigint,
  p_per_subscription integer, p_alone integer
) RETURNS bigint[] LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN ARRAY(
    SELECT ranked.delivery
    FROM (
      SELECT turns.*, row_number() OVER (PARTITION BY turns.share ORDER BY turns.turn, turns.ordinal) AS nth
      FROM (
        SELECT
          due.delivery, due.share, due.ordinal,
          row_number() OVER (PARTITION BY due.share, due.organization ORDER BY due.nth, due.ordinal) AS turn
        FROM (
          SELECT
            requested.*, found.delivery,
            row_number() OVER (PARTITION BY requested.ordinal ORDER BY found.status, found.due_at, found.event) AS nth
          FROM (
            SELECT
              a.*, count(*) OVER (PARTITION BY a.share, a.organization) AS siblings,
              dense_rank() OVER (PARTITION BY a.share ORDER BY a.organization)
                + dense_rank() OVER (PARTITION BY a.share ORDER BY a.organization DESC) - 1 AS organizations
            FROM unnest(p_subscriptions, p_organizations, p_shares)
              WITH ORDINALITY AS a (subscription, organization, share, ordinal)
          ) AS requested
          CROSS JOIN LATERAL (
            SELECT min(t.due_at) AS due_at FROM wabakit.due_times t WHERE t.subscription = requested.subscription
          ) AS earliest
          CROSS JOIN LATERAL (
            SELECT count_free_slots(requested.subscription, p_now, p_per_subscription, p_alone) AS slots OFFSET 0
          ) AS free
          -- The others of its organization, and the other organizations, get one each before it gets two.
          CROSS JOIN LATERAL (
            SELECT least(
              p_limits[requested.share] - requested.siblings - requested.organizations + 2, greatest(0, free.slots)
            ) AS maximum OFFSET 0
          ) AS allowed
          -- Deliveries whose lease has expired come first: their turn came before that of all that is pending.
          CROSS JOIN LATERAL (
            (
              SELECT d.position AS delivery, d.status, d.due_at, d.event FROM wabakit.deliveries d
              WHERE d.subscription = requested.subscription AND d.status = 'pending'
                AND d.due_at BETWEEN earliest.due_at AND p_now
              ORDER BY d.due_at, d.event LIMIT allowed.maximum
            )
            UNION ALL
            (
              SELECT d.position, d.status, d.due_at, d.event FROM wabakit.deliveries d
              WHERE d.subscription = requested.subscription AND d.status = 'claimed'
                AND d.due_at BETWEEN earliest.due_at AND p_now
              ORDER BY d.due_at, d.event LIMIT allowed.maximum
            )
            ORDER BY 2, 3, 4 LIMIT allowed.maximum
          ) AS found
        ) AS due
      ) AS turns
    ) AS ranked
    WHERE ranked.nth <= p_limits[ranked.share]
    ORDER BY ranked.share, ranked.nth
  );
END $$;

-- If p_suspects and p_failing are null, suspect subscriptions are claimed like all others.
CREATE FUNCTION claim_deliveries(
  p_claim_id text, p_lease_ms bigint, p_limit integer, p_per_subscription integer, p_suspects integer,
  p_failing integer, p_except text[], p_worker integer DEFAULT NULL
) RETURNS TABLE (
  delivery json, channel text, digits text, payload text, "waitsFor" text, traceparent text, subscription json, pace text
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  -- A row of due_times is made later only if it is too early by more than this, so that its subscription is not locked too
  -- often.
  lag CONSTANT bigint := 100;
  -- Maximum number of rows to make later, because each takes a lock.
  most_postponed CONSTANT integer := 200;
  limits CONSTANT integer[] := ARRAY[p_limit, coalesce(p_suspects, 0), coalesce(p_failing, 0)];
  alone CONSTANT integer := CASE WHEN p_suspects IS NULL THEN p_per_subscription ELSE 1 END;
  -- Of a suspect subscription.
  slots CONSTANT integer := CASE WHEN p_suspects IS NOT NULL THEN p_per_subscription END;
  seed CONSTANT bigint := hashtextextended(p_claim_id, 0);
  excepted CONSTANT integer[] := ARRAY(SELECT hashtext(each) FROM unnest(p_except) AS each);
  moment bigint := wabakit.clock_ms();
  remaining integer[] := limits;
  candidates bigint[] := '{}';
  organizations integer[] := '{}';
  shares integer[] := '{}';
  early bigint[] := '{}';
  chosen bigint[];
  due record;
  first bigint;
  own integer;
BEGIN
  -- Nobody takes over the claims of this worker until the transaction ends.
  IF p_worker IS NOT NULL THEN
    PERFORM share_all('worker', ARRAY[p_worker::text]);
    IF NOT EXISTS (SELECT FROM wabakit.workers w WHERE w.number = p_worker) THEN
      RETURN;
    END IF;
  END IF;
  FOR share IN 1..3 LOOP
    own := CASE WHEN p_suspects IS NULL THEN 1 ELSE share END;
    CONTINUE WHEN remaining[own] = 0;
    FOR due IN
      SELECT d.* FROM list_due_subscriptions(share, seed, moment, remaining[own], excepted) AS d
    LOOP
      first := next_claim_at(due.subscription, due.due_at, slots);
      IF cardinality(early) < most_postponed AND due.due_at < moment - lag AND coalesce(first, moment) > due.due_at + lag THEN
        early := early || due.subscription;
      END IF;
      CONTINUE WHEN first IS NULL OR first > moment
        OR count_free_slots(due.subscription, moment, p_per_subscription, alone) < 1;
      candidates := candidates || due.subscription;
      organizations := organizations || due.organization;
      shares := shares || own;
      remaining[own] := remaining[own] - 1;
      EXIT WHEN remaining[own] = 0;
    END LOOP;
  END LOOP;
  -- Most claims of a process that others wake find nothing.
  IF cardinality(candidates) = 0 THEN
    IF cardinality(early) > 0 THEN
      PERFORM postpone_due_times(early, lag, slots);
    END IF;
    RETURN;
  END IF;
  -- Claims of one subscription are made one after the other. Otherwise two would choose the same deliveries.
  PERFORM lock_all('claims', candidates::text[]);
  moment := wabakit.clock_ms();
  chosen := choose_deliveries(candidates, organizations, shares, limits, moment, p_per_subscription, alone);
  RETURN QUERY
  WITH free AS (
    SELECT d.position, d.due_at FROM wabakit.deliveries d
    WHERE d.position = ANY (chosen) AND d.due_at <= moment
    FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE wabakit.deliveries d SET
      status = 'claimed', claim_id = p_claim_id, worker = p_worker, due_at = moment + p_lease_ms
    WHERE d.position = ANY (ARRAY(SELECT free.position FROM free))
    RETURNING d.*
  )
  SELECT
    row_to_json(delivery), e.channel, e.digits, e.payload, e.waits_for, e.traceparent,
    -- With the first of its deliveries.
    CASE row_number() OVER (PARTITION BY d.subscription ORDER BY f.due_at, d.event) WHEN 1 THEN row_to_json(s.row) END,
    (s.row).pace
  FROM claimed d
  JOIN free f ON f.position = d.position
  CROSS JOIN LATERAL (SELECT e.* FROM wabakit.events e WHERE e.position = d.event OFFSET 0) AS e
  CROSS JOIN LATERAL (
    SELECT s.id, s AS row FROM wabakit.subscriptions s WHERE s.position = d.subscription OFFSET 0
  ) AS s
  CROSS JOIN LATERAL (SELECT ${deliveryColumns}) AS delivery
  ORDER BY array_position(chosen, d.position);

  PERFORM postpone_due_times(early || ARRAY(
    SELECT t.subscription FROM wabakit.due_times t
    WHERE t.subscription = ANY (candidates) AND t.due_at < moment - lag
  ), lag, slots);
END $$;
`

/** A delivery with the rest of its event; the first of a subscription comes with it. */
export type ClaimedRow = Pick<EventRecord, 'channel' | 'digits' | 'payload' | 'waitsFor' | 'traceparent'> & {
  readonly delivery: DeliveryRecord
  readonly subscription: JsonRow | null
  readonly pace: Pace
}

export type ClaimInput = Parameters<Store['claimDeliveries']>[0] & {
  /** The number of the worker. `null`: the claim relies on its lease alone. */
  readonly worker: number | null
}

export const claimDeliveries = (
  query: Query,
  { claimId, leaseMs, limit, perSubscription, suspects, worker }: ClaimInput,
): Promise<ClaimedRow[]> =>
  query<ClaimedRow>('SELECT * FROM claim_deliveries($1, $2, $3, $4, $5, $6, $7, $8)', [
    claimId,
    leaseMs,
    limit,
    perSubscription,
    suspects?.limit ?? null,
    suspects?.failing ?? null,
    suspects?.except ?? [],
    worker,
  ])
