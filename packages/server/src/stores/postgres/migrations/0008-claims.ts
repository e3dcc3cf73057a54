/** What is due. */
const due = /* sql */ `
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

-- Some of the organizations that have something noted in a share, in the order of their hashes, from p_from round.
CREATE FUNCTION wabakit.organizations_from(p_share integer, p_from integer, p_most integer) RETURNS integer[]
LANGUAGE plpgsql STABLE AS $$
DECLARE
  found integer[] := '{}';
  next integer := p_from;
  is_round boolean := false;
BEGIN
  LOOP
    next := (
      SELECT t.organization FROM wabakit.due_times t WHERE t.share = p_share AND t.organization >= next
      ORDER BY t.organization LIMIT 1
    );
    IF next IS NULL AND NOT is_round THEN
      is_round := true;
      next := -2147483648;
      CONTINUE;
    END IF;
    EXIT WHEN next IS NULL OR is_round AND next >= p_from;
    found := found || next;
    EXIT WHEN cardinality(found) = p_most OR next = 2147483647;
    next := next + 1;
  END LOOP;
  RETURN found;
END $$;

-- Subscriptions of a share that have something due, in turn between organizations, then between the subscriptions of
-- each. Chance decides who is first, anew for each claim. If there are many, these are the earliest, and some of each of
-- a number of organizations, from wherever chance begins: so none is passed over for good.
CREATE FUNCTION wabakit.due_subscriptions(
  p_share integer, p_seed bigint, p_now bigint, p_room integer, p_except integer[]
) RETURNS TABLE (subscription bigint, due_at bigint, organization integer) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
  most CONSTANT integer := greatest(128, 2 * p_room);
  organizations integer[] := '{}';
  noted bigint;
BEGIN
  noted := (
    SELECT count(*) FROM (
      SELECT FROM wabakit.due_times t WHERE t.share = p_share AND t.due_at <= p_now LIMIT most + 1
    ) AS t
  );
  IF noted = 0 THEN
    RETURN;
  ELSIF noted > most THEN
    organizations := wabakit.organizations_from(p_share, hashint8(p_seed), most / 4);
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
        ORDER BY t.due_at LIMIT most
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
        LIMIT most / cardinality(organizations)
      ) AS t
    ) AS n
    WHERE p_share = 1 OR n.organization <> ALL (p_except)
    GROUP BY 1, 3
  ) AS d
  ORDER BY d.turn, hashint4extended(d.organization, p_seed);
END $$;

-- What to claim of some subscriptions, given their organizations and shares, in the same turns, so that it fits into the
-- room of each share.
CREATE FUNCTION wabakit.choose_due(
  p_subscriptions bigint[], p_organizations integer[], p_shares integer[], p_room integer[], p_now bigint,
  p_per_subscription integer, p_alone integer
) RETURNS bigint[] LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN ARRAY(
    SELECT ranked.delivery
    FROM (
      SELECT turns.*, row_number() OVER (PARTITION BY turns.share ORDER BY turns.turn, turns.place) AS nth
      FROM (
        SELECT
          due.delivery, due.share, due.place,
          row_number() OVER (PARTITION BY due.share, due.organization ORDER BY due.nth, due.place) AS turn
        FROM (
          SELECT
            asked.*, found.delivery,
            row_number() OVER (PARTITION BY asked.place ORDER BY found.due_at, found.event) AS nth
          FROM (
            SELECT
              a.*, count(*) OVER (PARTITION BY a.share, a.organization) AS fellows,
              dense_rank() OVER (PARTITION BY a.share ORDER BY a.organization)
                + dense_rank() OVER (PARTITION BY a.share ORDER BY a.organization DESC) - 1 AS organizations
            FROM unnest(p_subscriptions, p_organizations, p_shares)
              WITH ORDINALITY AS a (subscription, organization, share, place)
          ) AS asked
          CROSS JOIN LATERAL (
            SELECT min(t.due_at) AS due_at FROM wabakit.due_times t WHERE t.subscription = asked.subscription
          ) AS noted
          CROSS JOIN LATERAL (
            SELECT wabakit.free_slots(asked.subscription, p_now, p_per_subscription, p_alone) AS slots OFFSET 0
          ) AS free
          -- The others of its organization, and the other organizations, get one each before it gets two.
          CROSS JOIN LATERAL wabakit.due_deliveries(
            asked.subscription, noted.due_at, p_now,
            least(p_room[asked.share] - asked.fellows - asked.organizations + 2, greatest(0, free.slots))
          ) AS found
        ) AS due
      ) AS turns
    ) AS ranked
    WHERE ranked.nth <= p_room[ranked.share]
    ORDER BY ranked.share, ranked.nth
  );
END $$;
`

/** Claiming deliveries. Step 14 creates it again, so it uses its columns. */
export const claimDeliveries = /* sql */ `
-- Where p_suspects and p_failing are null, suspect subscriptions are claimed like all others.
CREATE FUNCTION wabakit.claim_deliveries(
  p_claim_id text, p_lease_ms bigint, p_limit integer, p_per_subscription integer, p_suspects integer,
  p_failing integer, p_except text[], p_worker integer DEFAULT NULL
) RETURNS TABLE (
  id text, "organizationId" text, "subscriptionId" text, "eventId" text, "eventName" text, subject text,
  "webhookId" text, status text, "dueAt" double precision, attempts integer, failures integer,
  deferrals integer, "deferredMs" double precision, "createdAt" double precision, "finishedAt" double precision,
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
  seed CONSTANT bigint := hashtextextended(p_claim_id, 0);
  excepted CONSTANT integer[] := ARRAY(SELECT hashtext(each) FROM unnest(p_except) AS each);
  moment bigint := wabakit.clock_ms();
  room_left integer[] := room;
  candidates bigint[] := '{}';
  organizations integer[] := '{}';
  shares integer[] := '{}';
  early bigint[] := '{}';
  chosen bigint[];
  noted record;
  first bigint;
  own integer;
  key bigint;
BEGIN
  IF NOT wabakit.enter_worker(p_worker) THEN
    RETURN;
  END IF;
  FOR share IN 1..3 LOOP
    own := CASE WHEN p_suspects IS NULL THEN 1 ELSE share END;
    CONTINUE WHEN room_left[own] = 0;
    FOR noted IN
      SELECT d.* FROM wabakit.due_subscriptions(share, seed, moment, room_left[own], excepted) AS d
    LOOP
      first := wabakit.next_claim_at(noted.subscription, noted.due_at, p_suspects IS NOT NULL);
      IF cardinality(early) < most AND noted.due_at < moment - lag AND coalesce(first, moment) > noted.due_at + lag THEN
        early := early || noted.subscription;
      END IF;
      CONTINUE WHEN first IS NULL OR first > moment
        OR wabakit.free_slots(noted.subscription, moment, p_per_subscription, alone) < 1;
      candidates := candidates || noted.subscription;
      organizations := organizations || noted.organization;
      shares := shares || own;
      room_left[own] := room_left[own] - 1;
      EXIT WHEN room_left[own] = 0;
    END LOOP;
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
    c.deferrals, c.deferred_ms::double precision, e.occurred_at::double precision, c.finished_at::double precision,
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
  ), lag, p_suspects IS NOT NULL);
END $$;
`

/** What is due, and who attempts it. */
export const claims = due + claimDeliveries
