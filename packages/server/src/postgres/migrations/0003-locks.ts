/**
 * Locks. Every function that writes relies on READ COMMITTED: each of its statements sees what was committed before it
 * began, and so, after a lock was taken, everything that was done under that lock. Advisory locks are always taken in
 * this order, and those of one kind in the order of their keys, so that nobody waits in a circle (a worker's, which only
 * claims wait for, comes before all of them, see `0013-workers.ts`):
 *
 * 1. An organization's: shared by all who write into it, exclusive for its removal. A reader who follows its events
 *    takes it exclusively for a moment, and so waits for the events that are being written.
 * 2. A subscription's: shared by all who move its deliveries along, exclusive for those who change, skip, send again or
 *    remove them at once. A claim takes it exclusively at its end, where it is free, to note when to look again.
 * 3. A lane's: exclusive for whoever moves one of its deliveries.
 *
 * Claims take locks of their own and wait for no row.
 */
export const locks = /* sql */ `
-- The time by which deliveries are due and leases end, in every process.
CREATE FUNCTION wabakit.clock_ms() RETURNS bigint LANGUAGE sql VOLATILE
RETURN floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;

CREATE FUNCTION wabakit.lock_key(p_kind text, p_name text) RETURNS bigint LANGUAGE sql IMMUTABLE
RETURN hashtextextended(p_kind || ' ' || p_name, 0);

CREATE FUNCTION wabakit.enter_organizations(p_ids text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  missing text;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(key) FROM (
    SELECT DISTINCT wabakit.lock_key('organization', id) AS key FROM unnest(p_ids) AS id ORDER BY 1
  ) AS keys;
  SELECT id INTO missing FROM unnest(p_ids) AS id
  WHERE NOT EXISTS (SELECT FROM wabakit.organizations o WHERE o.id = id.id OFFSET 0) LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'There is no such organization.' USING ERRCODE = 'WK404', DETAIL = missing;
  END IF;
END $$;

-- What writes for several callers at once waits for a lock a second at most: what holds it concerns one of them, and
-- the others are then served without that one.
CREATE FUNCTION wabakit.limit_patience(p_callers integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF p_callers > 1 THEN
    PERFORM set_config('lock_timeout', '1s', true);
  END IF;
END $$;

CREATE FUNCTION wabakit.lock_subscription(p_subscription bigint) RETURNS void LANGUAGE sql
RETURN pg_advisory_xact_lock(wabakit.lock_key('subscription', p_subscription::text));

-- Locks lanes, of a subscription and a subject each, and before that their subscriptions, shared.
CREATE FUNCTION wabakit.enter_lanes(p_subscriptions bigint[], p_subjects text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(key) FROM (
    SELECT DISTINCT wabakit.lock_key('subscription', each::text) AS key FROM unnest(p_subscriptions) AS each ORDER BY 1
  ) AS keys;
  PERFORM pg_advisory_xact_lock(key) FROM (
    SELECT DISTINCT wabakit.lock_key('lane', lane.subscription || ' ' || lane.subject) AS key
    FROM unnest(p_subscriptions, p_subjects) AS lane (subscription, subject) ORDER BY 1
  ) AS keys;
END $$;
`
