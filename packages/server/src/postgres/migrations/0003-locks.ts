/**
 * Locks. Every function that writes relies on READ COMMITTED: each of its statements sees what was committed before it
 * began, and so, after a lock was taken, everything that was done under that lock. Advisory locks are always taken in
 * this order, and those of one kind in the order of their keys, so that nobody waits in a circle:
 *
 * 1. An organization's: shared by all who write into it, exclusive for its removal. A reader who follows its events
 *    takes it exclusively for a moment, and so waits for the events that are being written.
 * 2. A subscription's: shared by all who move its deliveries along, exclusive for those who change, skip, send again or
 *    remove them at once.
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

CREATE FUNCTION wabakit.enter_organization(p_organization_id text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(wabakit.lock_key('organization', p_organization_id));
  PERFORM FROM wabakit.organizations WHERE id = p_organization_id;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'There is no such organization.' USING ERRCODE = 'WK404', DETAIL = p_organization_id;
  END IF;
END $$;

CREATE FUNCTION wabakit.lock_subscription(p_subscription bigint) RETURNS void LANGUAGE sql
RETURN pg_advisory_xact_lock(wabakit.lock_key('subscription', p_subscription::text));

-- Locks the lanes of a subject, and before that their subscriptions, shared.
CREATE FUNCTION wabakit.enter_lanes(p_subscriptions bigint[], p_subject text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  key bigint;
BEGIN
  FOR key IN
    SELECT wabakit.lock_key('subscription', each::text) FROM unnest(p_subscriptions) AS each ORDER BY 1
  LOOP
    PERFORM pg_advisory_xact_lock_shared(key);
  END LOOP;
  FOR key IN
    SELECT wabakit.lock_key('lane', each || ' ' || p_subject) FROM unnest(p_subscriptions) AS each ORDER BY 1
  LOOP
    PERFORM pg_advisory_xact_lock(key);
  END LOOP;
END $$;
`
