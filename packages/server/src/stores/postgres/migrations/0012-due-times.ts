/**
 * Where a claim has to look. For each subscription that has something pending or claimed there is at least one row, and
 * the earliest is never later than what is due first. It may be too early, until a claim looks. So a claim reads the
 * subscriptions that have something due, in their order, and none of the others; and however much one of them has due,
 * it is one row.
 *
 * Looking begins at that time, too: what was due before it and is settled stays in the index until the next vacuum.
 *
 * Whoever makes something due adds a row, if there is none that is early enough. It changes none, so that nobody waits
 * for anybody. Rows are made later by claims alone, under the exclusive lock of the subscription, if it is free: under it
 * nobody is making something due.
 *
 * Each row has the share of claims that its subscription belongs to, so that a claim reads no more than a part of them.
 * Where the pace changes at the moment when a row is added, the row can have the share of before until a claim makes it
 * later.
 *
 * A new or failing subscription has one claim at a time. While that is under lease, its row can be as late as the lease:
 * whoever settles the claim adds an earlier one.
 */
export const dueTimes = /* sql */ `
CREATE TABLE wabakit.due_times (
  subscription bigint NOT NULL, -- its position
  due_at bigint NOT NULL,
  organization integer NOT NULL, -- a hash of its id
  share integer NOT NULL -- see share_of
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
CREATE INDEX due_times_by_time ON wabakit.due_times (share, due_at, subscription, organization);
CREATE INDEX due_times_of_organization ON wabakit.due_times (share, organization, subscription, due_at);
CREATE INDEX due_times_of_subscription ON wabakit.due_times (subscription, due_at);

CREATE FUNCTION wabakit.share_of(p_pace text) RETURNS integer LANGUAGE sql IMMUTABLE
RETURN CASE p_pace WHEN 'quick' THEN 1 WHEN 'failing' THEN 3 ELSE 2 END;

-- The row for a subscription.
CREATE FUNCTION wabakit.due_time(p_subscription bigint, p_due_at bigint) RETURNS SETOF wabakit.due_times
LANGUAGE sql STABLE AS $$
  SELECT p_subscription, p_due_at, hashtext(s.organization_id), wabakit.share_of(s.pace)
  FROM wabakit.subscriptions s WHERE s.position = p_subscription OFFSET 0
$$;

CREATE FUNCTION wabakit.note_due() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO wabakit.due_times
  SELECT row.*
  FROM (SELECT c.subscription, min(c.due_at) AS due_at FROM changed c WHERE c.due_at IS NOT NULL GROUP BY 1) AS n
  CROSS JOIN LATERAL wabakit.due_time(n.subscription, n.due_at) AS row
  WHERE NOT EXISTS (
    SELECT FROM wabakit.due_times t WHERE t.subscription = n.subscription AND t.due_at <= n.due_at OFFSET 0
  );
  RETURN NULL;
END $$;
CREATE TRIGGER note_inserted AFTER INSERT ON wabakit.deliveries
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION wabakit.note_due();
CREATE TRIGGER note_updated AFTER UPDATE ON wabakit.deliveries
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION wabakit.note_due();

CREATE FUNCTION wabakit.note_pace() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE wabakit.due_times t SET share = wabakit.share_of(NEW.pace) WHERE t.subscription = NEW.position;
  RETURN NULL;
END $$;
CREATE TRIGGER note_pace AFTER UPDATE ON wabakit.subscriptions FOR EACH ROW
  WHEN (wabakit.share_of(OLD.pace) <> wabakit.share_of(NEW.pace)) EXECUTE FUNCTION wabakit.note_pace();

-- When a subscription can be claimed next, given a time before which nothing is due; null when nothing is pending or
-- claimed, or it is disabled. If p_apart, a new or failing subscription with a claim under lease cannot have another one.
CREATE FUNCTION wabakit.next_claim_at(p_subscription bigint, p_from bigint, p_apart boolean) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
DECLARE
  pending bigint := (
    SELECT d.due_at FROM wabakit.deliveries d
    WHERE d.subscription = p_subscription AND d.status = 'pending' AND d.due_at >= p_from
    ORDER BY d.due_at LIMIT 1
  );
  claimed bigint := (
    SELECT d.due_at FROM wabakit.deliveries d
    WHERE d.subscription = p_subscription AND d.status = 'claimed' AND d.due_at >= p_from
    ORDER BY d.due_at LIMIT 1
  );
  is_disabled boolean;
  is_alone boolean;
BEGIN
  SELECT s.disabled_reason IS NOT NULL, s.pace IN ('new', 'failing') INTO is_disabled, is_alone
  FROM wabakit.subscriptions s WHERE s.position = p_subscription;
  IF is_disabled THEN
    RETURN NULL;
  ELSIF p_apart AND is_alone AND claimed > pending AND claimed > wabakit.clock_ms() THEN
    RETURN claimed;
  END IF;
  RETURN least(pending, claimed);
END $$;

-- When the first of all that is pending or claimed is due; null when there is nothing.
CREATE FUNCTION wabakit.next_due_at() RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
  noted record;
  found bigint;
BEGIN
  FOR each IN 1..3 LOOP
    FOR noted IN
      SELECT t.subscription, t.due_at FROM wabakit.due_times t WHERE t.share = each ORDER BY t.due_at
    LOOP
      EXIT WHEN found <= noted.due_at;
      found := least(found, wabakit.next_claim_at(noted.subscription, noted.due_at, false));
    END LOOP;
  END LOOP;
  RETURN found;
END $$;

-- Makes the rows of subscriptions as late as they can be, where they gain more than a lag and nobody is busy with them.
CREATE FUNCTION wabakit.put_off(p_subscriptions bigint[], p_lag bigint, p_apart boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  free bigint[];
BEGIN
  free := ARRAY(
    SELECT each FROM (SELECT DISTINCT unnest(p_subscriptions)) AS asked (each)
    WHERE pg_try_advisory_xact_lock(wabakit.lock_key('subscription', each::text))
  );
  WITH early AS MATERIALIZED (
    SELECT n.subscription, first
    FROM (
      SELECT t.subscription, min(t.due_at) AS due_at FROM wabakit.due_times t WHERE t.subscription = ANY (free) GROUP BY 1
    ) AS n
    CROSS JOIN LATERAL wabakit.next_claim_at(n.subscription, n.due_at, p_apart) AS first
    WHERE first IS NULL OR first > n.due_at + p_lag
  ), removed AS (
    DELETE FROM wabakit.due_times t WHERE t.subscription = ANY (ARRAY(SELECT e.subscription FROM early e))
  )
  INSERT INTO wabakit.due_times
  SELECT row.* FROM early e CROSS JOIN LATERAL wabakit.due_time(e.subscription, e.first) AS row WHERE e.first IS NOT NULL;
END $$;

-- Adds rows for subscriptions that can be claimed again, because a claim of theirs is over.
CREATE FUNCTION wabakit.note_free(p_subscriptions bigint[]) RETURNS void LANGUAGE sql
BEGIN ATOMIC
  INSERT INTO wabakit.due_times
  SELECT row.*
  FROM unnest(p_subscriptions) AS each
  CROSS JOIN LATERAL wabakit.next_claim_at(each, 0, true) AS first
  CROSS JOIN LATERAL wabakit.due_time(each, first) AS row
  WHERE NOT EXISTS (
    SELECT FROM wabakit.due_times t WHERE t.subscription = each AND t.due_at <= first OFFSET 0
  ) AND first IS NOT NULL;
END;

-- Adds rows that should be there and are not. Somebody who changes due times by hand, without the lock, can make a claim
-- put a row off too far.
CREATE FUNCTION wabakit.note_all_due() RETURNS void LANGUAGE sql
BEGIN ATOMIC
  INSERT INTO wabakit.due_times
  SELECT row.* FROM wabakit.queues() q CROSS JOIN LATERAL wabakit.due_time(q.subscription, q.due_at) AS row
  WHERE NOT EXISTS (
    SELECT FROM wabakit.due_times t WHERE t.subscription = q.subscription AND t.due_at <= q.due_at OFFSET 0
  );
END;
`
