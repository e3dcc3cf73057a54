/**
 * Locks. Every function that writes requires READ COMMITTED: each statement sees all data committed before it started,
 * so after taking a lock it sees all changes made under that lock. To prevent deadlocks, advisory locks are taken in
 * this order, and locks of the same kind in key order.
 *
 * 1. A shard's lock: exclusive for settling its deliveries, taking the shard and giving it up.
 * 2. An organization's lock: shared for saving its records and publishing its events, exclusive for removing it. A reader that
 *    follows its events briefly takes the lock exclusively, to wait for events that are being written.
 * 3. A subscription's lock: shared for adding and settling deliveries, exclusive for changing, skipping, resending or
 *    removing them.
 * 4. A subject's lock: exclusive for publishing, so that a subject's events are committed in position order.
 *
 * Between 2 and 3, functions that save or erase records lock rows in key order: the group or the call of a record, so that it
 * is not removed before they commit (FOR KEY SHARE), and then the record itself, or the group that has the id of a new one.
 * Functions that find rows in another order skip those that are locked, or exclude the others: an erasure shares the lock of
 * removals, which comes before all of these, and a removal takes that of figures before it deletes them.
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

-- A statement for several callers waits at most a second for each lock. The lock usually concerns only one of them, so the
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
