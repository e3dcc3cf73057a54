import type { Query } from '../query.ts'

/**
 * Workers, and what becomes of the claims of those that died. Each worker holds the advisory lock of its number, shared,
 * in the session that listens; a claim takes it, too, for its transaction. So whoever gets it exclusively knows that
 * the session is over and that no claim of this worker is being made. A number is never used again: a worker whose
 * session was lost registers under a new one.
 *
 * The lock of a worker comes before all others. Claims alone wait for it, while another worker checks whether it is free.
 */
export const workerFunctions = /* sql */ `
-- Puts claims of a worker, whose lock the caller has, back to the front of the pending deliveries of their subscriptions.
-- Returns their number. Deliveries that others have locked are left for the next call. It finds the claims by the due times:
-- claims under lease are later than now.
CREATE FUNCTION release_claims(p_worker integer, OUT released integer, OUT is_done boolean)
LANGUAGE plpgsql AS $$
DECLARE
  -- Each takes a lock.
  maximum CONSTANT integer := 200;
  moment bigint := wabakit.clock_ms();
  held bigint[];
  entered bigint[];
BEGIN
  held := ARRAY(
    SELECT t.subscription FROM (SELECT DISTINCT t.subscription FROM wabakit.due_times t) AS t
    WHERE EXISTS (
      SELECT FROM wabakit.deliveries d
      WHERE d.subscription = t.subscription AND d.status = 'claimed' AND d.due_at > moment AND d.worker = p_worker
      OFFSET 0
    ) LIMIT maximum
  );
  entered := ARRAY(
    SELECT each FROM unnest(held) AS each
    WHERE pg_try_advisory_xact_lock_shared(wabakit.lock_key('subscription', each::text))
  );
  UPDATE wabakit.deliveries d SET
    status = 'pending', claim_id = NULL, worker = NULL, due_at = least(moment, (
      SELECT p.due_at FROM wabakit.deliveries p
      WHERE p.subscription = d.subscription AND p.status = 'pending' AND p.due_at IS NOT NULL
      ORDER BY p.due_at LIMIT 1
    ))
  WHERE d.position = ANY (ARRAY(
    SELECT claimed.position FROM unnest(entered) AS each CROSS JOIN LATERAL (
      SELECT c.position FROM wabakit.deliveries c
      WHERE c.subscription = each AND c.status = 'claimed' AND c.due_at > moment AND c.worker = p_worker
      FOR UPDATE SKIP LOCKED
    ) AS claimed
  ));
  GET DIAGNOSTICS released = ROW_COUNT;
  is_done := cardinality(held) = 0;
END $$;

-- Records which workers are lost, releases the claims of those that have been lost for 2 seconds, and so had time to end
-- their attempts if they live, and deletes those that have no claims left. Returns whether p_worker is still registered,
-- the number of released claims, and after how many milliseconds the next ones can be released.
CREATE FUNCTION check_workers(
  p_worker integer, OUT is_registered boolean, OUT released integer, OUT wait_ms integer
) LANGUAGE plpgsql AS $$
DECLARE
  grace CONSTANT bigint := 2000;
  moment bigint := wabakit.clock_ms();
  other integer;
  lost bigint;
  done record;
BEGIN
  released := 0;
  FOR other IN SELECT w.number FROM wabakit.workers w ORDER BY w.number LOOP
    CONTINUE WHEN NOT pg_try_advisory_xact_lock(wabakit.lock_key('worker', other::text));
    SELECT w.lost_at INTO lost FROM wabakit.workers w WHERE w.number = other;
    CONTINUE WHEN NOT FOUND;
    IF lost IS NULL THEN
      UPDATE wabakit.workers w SET lost_at = moment WHERE w.number = other;
      lost := moment;
    END IF;
    IF lost + grace > moment THEN
      wait_ms := least(wait_ms, lost + grace - moment);
      CONTINUE;
    END IF;
    SELECT r.* INTO done FROM release_claims(other) AS r;
    released := released + done.released;
    IF done.is_done THEN
      DELETE FROM wabakit.workers w WHERE w.number = other;
    END IF;
  END LOOP;
  is_registered := EXISTS (SELECT FROM wabakit.workers w WHERE w.number = p_worker AND w.lost_at IS NULL);
END $$;
`

/** Registers the session of a client as a worker's, until the session ends. */
export const registerWorker = /* sql */ `
  WITH registered AS (INSERT INTO wabakit.workers DEFAULT VALUES RETURNING number)
  SELECT number, pg_backend_pid() AS backend, pg_advisory_lock_shared(wabakit.lock_key('worker', number::text))
  FROM registered`

export type CheckedWorkers = {
  /** The process of the connection. */
  readonly backend: number
  readonly is_registered: boolean
  readonly released: number
  readonly wait_ms: number | null
}

/**
 * Takes over the claims of lost workers.
 *
 * @param worker - the number of the worker that does so; `null` if it is not registered.
 */
export const checkWorkers = async (
  query: Query,
  worker: number | null,
): Promise<CheckedWorkers | undefined> => {
  const [checked] = await query<CheckedWorkers>(
    'SELECT pg_backend_pid() AS backend, w.* FROM check_workers($1) AS w',
    [worker],
  )
  return checked
}
