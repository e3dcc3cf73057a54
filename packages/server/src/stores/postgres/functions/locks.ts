/**
 * Locks. Every function that writes requires READ COMMITTED: each statement sees what was committed before it began, so
 * after taking a lock it sees all changes that were made under that lock. To prevent deadlocks, advisory locks are
 * taken in this order, and those of one kind in the order of their keys.
 *
 * 1. A shard's lock: exclusive for settling deliveries of the shard, taking it and giving it up.
 * 2. An organization's lock: shared for writing to it, exclusive for removing it. A reader who follows its events takes
 *    the lock exclusively for a moment, to wait for the events that are being written.
 * 3. A subscription's lock: shared for adding and settling deliveries, exclusive for changing, skipping, resending or
 *    removing them.
 * 4. A subject's lock: exclusive for publishing. So the events of a subject are committed in the order of their positions.
 */
export const locks = /* sql */ `
CREATE FUNCTION lock_all(p_kind text, p_names text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(key)
  FROM (SELECT DISTINCT wabakit.lock_key(p_kind, name) AS key FROM unnest(p_names) AS name ORDER BY 1) AS keys;
END $$;

CREATE FUNCTION share_all(p_kind text, p_names text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(key)
  FROM (SELECT DISTINCT wabakit.lock_key(p_kind, name) AS key FROM unnest(p_names) AS name ORDER BY 1) AS keys;
END $$;

-- A statement for several callers waits for a lock for at most a second. The lock usually concerns one of them, so the
-- others are then served separately.
CREATE FUNCTION limit_lock_wait(p_callers integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF p_callers > 1 THEN
    PERFORM set_config('lock_timeout', '1s', true);
  END IF;
END $$;

-- Takes the shared locks of the callers' organizations, which must exist.
CREATE FUNCTION enter_organizations(p_ids text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  missing text;
BEGIN
  PERFORM limit_lock_wait(cardinality(p_ids));
  PERFORM share_all('organization', p_ids);
  SELECT id INTO missing FROM unnest(p_ids) AS id
  WHERE NOT EXISTS (SELECT FROM wabakit.organizations o WHERE o.id = id.id AND o.revision > 0 OFFSET 0) LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'There is no such organization.' USING ERRCODE = 'WK404', DETAIL = missing;
  END IF;
END $$;
`
