/** What is due, and who attempts it. */
export const claims = /* sql */ `
-- For each subscription with something pending or claimed, the earliest time at which that is due. It goes from
-- one subscription to the next by the index, so that it costs the same however many deliveries there are.
CREATE FUNCTION wabakit.queues() RETURNS TABLE (subscription bigint, due_at bigint) LANGUAGE sql STABLE AS $$
  WITH RECURSIVE busy AS (
    (
      SELECT d.subscription FROM wabakit.deliveries d WHERE d.due_at IS NOT NULL
      ORDER BY d.subscription, d.status, d.due_at LIMIT 1
    )
    UNION ALL
    SELECT (
      SELECT d.subscription FROM wabakit.deliveries d
      WHERE d.due_at IS NOT NULL AND d.subscription > busy.subscription
      ORDER BY d.subscription, d.status, d.due_at LIMIT 1
    )
    FROM busy WHERE busy.subscription IS NOT NULL
  )
  SELECT busy.subscription, least(
    (
      SELECT d.due_at FROM wabakit.deliveries d
      WHERE d.subscription = busy.subscription AND d.status = 'pending' AND d.due_at IS NOT NULL
      ORDER BY d.due_at LIMIT 1
    ),
    (
      SELECT d.due_at FROM wabakit.deliveries d
      WHERE d.subscription = busy.subscription AND d.status = 'claimed' AND d.due_at IS NOT NULL
      ORDER BY d.due_at LIMIT 1
    )
  )
  FROM busy WHERE busy.subscription IS NOT NULL
$$;

-- The first of what a subscription has due, given a time before which nothing is.
CREATE FUNCTION wabakit.due_deliveries(p_subscription bigint, p_from bigint, p_now bigint, p_limit bigint)
RETURNS TABLE (delivery bigint, due_at bigint, event bigint) LANGUAGE sql STABLE AS $$
  (
    SELECT d.position, d.due_at, d.event FROM wabakit.deliveries d
    WHERE d.subscription = p_subscription AND d.status = 'pending' AND d.due_at BETWEEN p_from AND p_now
    ORDER BY d.due_at, d.event LIMIT p_limit
  )
  UNION ALL
  (
    SELECT d.position, d.due_at, d.event FROM wabakit.deliveries d
    WHERE d.subscription = p_subscription AND d.status = 'claimed' AND d.due_at BETWEEN p_from AND p_now
    ORDER BY d.due_at, d.event LIMIT p_limit
  )
  ORDER BY 2, 3 LIMIT p_limit
$$;

-- How many more claims a subscription may have under lease, given how many one may have that is new or failing.
CREATE FUNCTION wabakit.free_slots(
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

-- Subscriptions that have something due, in turn between organizations, then between the subscriptions of each. Chance
-- decides who is first, anew for each claim. Each belongs to a share of the claim: 1 quick, 2 new and slow, 3 failing.
-- Unless p_apart, all are in the first. New and failing ones with a claim under lease are left out, since they can have
-- no more, and so are suspect ones of the organizations in p_except.
CREATE FUNCTION wabakit.due_subscriptions(
  p_claim_id text, p_now bigint, p_apart boolean, p_except text[]
) RETURNS TABLE (subscription bigint, due_at bigint, organization_id text, share integer) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  SELECT d.subscription, d.due_at, d.organization_id, d.share
  FROM (
    SELECT
      t.subscription, t.due_at, s.organization_id, shared.share,
      row_number() OVER (
        PARTITION BY shared.share, s.organization_id ORDER BY hashint8extended(t.subscription, chance.seed)
      ) AS turn,
      hashtextextended(s.organization_id, chance.seed) AS place
    FROM (SELECT hashtextextended(p_claim_id, 0)) AS chance (seed)
    CROSS JOIN (
      SELECT t.subscription, min(t.due_at) AS due_at FROM wabakit.due_times t WHERE t.due_at <= p_now GROUP BY 1
    ) AS t
    LEFT JOIN wabakit.subscriptions s ON s.position = t.subscription
    CROSS JOIN LATERAL (
      SELECT CASE WHEN NOT p_apart THEN 1 WHEN s.pace IN ('new', 'slow') THEN 2 WHEN s.pace = 'failing' THEN 3 ELSE 1 END
    ) AS shared (share)
    WHERE shared.share = 1 OR s.organization_id <> ALL (p_except) AND (
      s.pace = 'slow' OR NOT EXISTS (
        SELECT FROM wabakit.deliveries d
        WHERE d.subscription = t.subscription AND d.status = 'claimed' AND d.due_at > p_now OFFSET 0
      )
    )
  ) AS d
  ORDER BY d.turn, d.place;
END $$;

-- What to claim of some subscriptions, given their organizations and shares, in the same turns, so that it fits into the
-- room of each share.
CREATE FUNCTION wabakit.choose_due(
  p_subscriptions bigint[], p_organizations text[], p_shares integer[], p_room integer[], p_now bigint,
  p_per_subscription integer, p_alone integer
) RETURNS bigint[] LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN ARRAY(
    SELECT ranked.delivery
    FROM (
      SELECT turns.*, row_number() OVER (PARTITION BY turns.share ORDER BY turns.turn, turns.place) AS nth
      FROM (
        SELECT
          due.delivery, asked.share, asked.place,
          row_number() OVER (PARTITION BY asked.share, asked.organization ORDER BY due.nth, asked.place) AS turn
        FROM unnest(p_subscriptions, p_organizations, p_shares)
          WITH ORDINALITY AS asked (subscription, organization, share, place)
        CROSS JOIN LATERAL (
          SELECT min(t.due_at) AS due_at FROM wabakit.due_times t WHERE t.subscription = asked.subscription
        ) AS noted
        CROSS JOIN LATERAL (
          SELECT wabakit.free_slots(asked.subscription, p_now, p_per_subscription, p_alone) AS slots OFFSET 0
        ) AS free
        CROSS JOIN LATERAL wabakit.due_deliveries(
          asked.subscription, noted.due_at, p_now, least(p_room[asked.share], greatest(0, free.slots))
        ) WITH ORDINALITY AS due (delivery, due_at, event, nth)
      ) AS turns
    ) AS ranked
    WHERE ranked.nth <= p_room[ranked.share]
    ORDER BY ranked.share, ranked.nth
  );
END $$;

-- Where p_suspects and p_failing are null, suspect subscriptions are claimed like all others.
CREATE FUNCTION wabakit.claim_deliveries(
  p_claim_id text, p_lease_ms bigint, p_limit integer, p_per_subscription integer, p_suspects integer,
  p_failing integer, p_except text[], p_worker integer DEFAULT NULL
) RETURNS TABLE (
  id text, "organizationId" text, "subscriptionId" text, "eventId" text, "eventName" text, subject text,
  "webhookId" text, status text, "dueAt" double precision, attempts integer, failures integer,
  "createdAt" double precision, "finishedAt" double precision,
  channel text, digits text, payload text, "waitsFor" text, subscription json, pace text
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  -- How late a row of due_times is made later again, so that a subscription is not locked for it too often.
  lag CONSTANT bigint := 100;
  -- And most of them at once, since each takes a lock.
  most CONSTANT integer := 200;
  room CONSTANT integer[] := ARRAY[p_limit, coalesce(p_suspects, 0), coalesce(p_failing, 0)];
  alone CONSTANT integer := CASE WHEN p_suspects IS NULL THEN p_per_subscription ELSE 1 END;
  moment bigint := wabakit.clock_ms();
  room_left integer[] := room;
  candidates bigint[] := '{}';
  organizations text[] := '{}';
  shares integer[] := '{}';
  early bigint[] := '{}';
  chosen bigint[];
  noted record;
  first bigint;
  key bigint;
BEGIN
  IF NOT wabakit.enter_worker(p_worker) THEN
    RETURN;
  END IF;
  FOR noted IN
    SELECT d.* FROM wabakit.due_subscriptions(p_claim_id, moment, p_suspects IS NOT NULL, p_except) AS d
  LOOP
    EXIT WHEN room_left = '{0,0,0}';
    CONTINUE WHEN room_left[noted.share] = 0;
    first := wabakit.first_due(noted.subscription, noted.due_at);
    IF cardinality(early) < most AND noted.due_at < moment - lag AND coalesce(first, moment) > noted.due_at + lag THEN
      early := early || noted.subscription;
    END IF;
    CONTINUE WHEN first IS NULL OR first > moment
      OR wabakit.free_slots(noted.subscription, moment, p_per_subscription, alone) < 1;
    candidates := candidates || noted.subscription;
    organizations := organizations || noted.organization_id;
    shares := shares || noted.share;
    room_left[noted.share] := room_left[noted.share] - 1;
  END LOOP;
  -- Claims of one subscription are made one after the other: else two would choose the same.
  FOR key IN
    SELECT wabakit.lock_key('claims', each::text) FROM unnest(candidates) AS each ORDER BY 1
  LOOP
    PERFORM pg_advisory_xact_lock(key);
  END LOOP;
  moment := wabakit.clock_ms();
  chosen := wabakit.choose_due(candidates, organizations, shares, room, moment, p_per_subscription, alone);
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
    wabakit.delivery_id(c.event, c.subscription), c.organization_id, s.id, e.id, c.event_name, c.subject,
    coalesce(c.webhook_id, e.id), c.status, c.due_at::double precision, c.attempts, c.failures,
    e.occurred_at::double precision, c.finished_at::double precision,
    e.channel, e.digits, e.payload, e.waits_for,
    -- With the first of its deliveries.
    CASE row_number() OVER (PARTITION BY c.subscription ORDER BY f.due_at, c.event) WHEN 1 THEN row_to_json(s.row) END,
    (s.row).pace
  FROM claimed c
  JOIN free f ON f.position = c.position
  CROSS JOIN LATERAL (SELECT e.* FROM wabakit.events e WHERE e.position = c.event OFFSET 0) AS e
  CROSS JOIN LATERAL (
    SELECT s.id, s AS row FROM wabakit.subscriptions s WHERE s.position = c.subscription OFFSET 0
  ) AS s
  ORDER BY array_position(chosen, c.position);

  PERFORM wabakit.put_off(early || ARRAY(
    SELECT t.subscription FROM wabakit.due_times t
    WHERE t.subscription = ANY (candidates) AND t.due_at < moment - lag
      AND coalesce(wabakit.first_due(t.subscription, t.due_at), moment) > t.due_at + lag
  ));
END $$;
`
