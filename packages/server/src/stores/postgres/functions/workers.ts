/**
 * Functions for workers and their shards. A worker is alive until its lease ends. If another worker notices
 * that its session has ended, it is alive for at most 2 more seconds, in which a process that lost only its connection
 * can end its attempts. The listening session holds its worker's advisory lock in shared mode. Therefore, if another
 * session gets the lock exclusively, the worker's session has ended.
 */
export const workerFunctions = /* sql */ `
CREATE FUNCTION is_alive(p_worker text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  grace CONSTANT bigint := 2000;
  moment bigint := wabakit.clock_ms();
BEGIN
  RETURN EXISTS (
    SELECT FROM wabakit.workers w
    WHERE w.id = p_worker AND w.expires_at > moment AND (w.lost_at IS NULL OR w.lost_at + grace > moment)
  );
END $$;

-- Marks the workers whose sessions have ended as lost.
CREATE FUNCTION notice_lost_workers(p_except text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  other text;
BEGIN
  FOR other IN SELECT w.id FROM wabakit.workers w WHERE w.id <> p_except AND w.lost_at IS NULL ORDER BY w.id LOOP
    IF pg_try_advisory_xact_lock(wabakit.lock_key('worker', other)) THEN
      UPDATE wabakit.workers w SET lost_at = wabakit.clock_ms() WHERE w.id = other AND w.lost_at IS NULL;
    END IF;
  END LOOP;
END $$;

-- Renews a worker's lease, marks lost workers, and forgets dead ones that own no shards.
CREATE FUNCTION renew_worker(p_worker text, p_lease_ms bigint, OUT workers json, OUT shards json, OUT renew_in_ms integer) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO wabakit.workers AS w (id, expires_at) VALUES (p_worker, wabakit.clock_ms() + p_lease_ms)
  ON CONFLICT (id) DO UPDATE SET expires_at = EXCLUDED.expires_at, lost_at = NULL;
  PERFORM notice_lost_workers(p_worker);
  DELETE FROM wabakit.workers w
  WHERE w.id <> p_worker AND NOT is_alive(w.id) AND NOT EXISTS (SELECT FROM wabakit.shards h WHERE h.owner = w.id);
  SELECT json_agg(w.id ORDER BY w.id) INTO workers FROM wabakit.workers w WHERE is_alive(w.id);
  SELECT json_agg(json_build_object(
    'shard', h.shard, 'epoch', h.epoch, 'owner', CASE WHEN alive.id IS NOT NULL THEN h.owner END
  ) ORDER BY h.shard) INTO shards
  FROM wabakit.shards h LEFT JOIN json_array_elements_text(workers) AS alive (id) ON alive.id = h.owner;
  -- Soon enough to take over when the first grace period ends.
  SELECT greatest(10, least(500, min(w.lost_at) + 2000 - wabakit.clock_ms())) INTO renew_in_ms
  FROM wabakit.workers w WHERE w.lost_at + 2000 > wabakit.clock_ms();
END $$;

-- If this worker is alive, takes the shards that still have this epoch and belong to it, to a dead one or to none.
CREATE FUNCTION take_shards(p_worker text, p_shards integer[], p_epochs integer[]) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  taken json;
BEGIN
  PERFORM limit_lock_wait(2);
  PERFORM lock_all('shard', ARRAY(
    SELECT h.shard::text FROM wabakit.shards h
    WHERE h.shard = ANY (p_shards) AND (h.owner IS NULL OR h.owner = p_worker OR NOT is_alive(h.owner))
  ));
  WITH updated AS (
    UPDATE wabakit.shards h SET owner = p_worker, epoch = h.epoch + 1
    FROM unnest(p_shards, p_epochs) AS k (shard, epoch)
    WHERE h.shard = k.shard AND h.epoch = k.epoch AND is_alive(p_worker)
      AND (h.owner IS NULL OR h.owner = p_worker OR NOT is_alive(h.owner))
    RETURNING h.shard, h.epoch
  )
  SELECT json_agg(json_build_object('shard', u.shard, 'epoch', u.epoch)) INTO taken FROM updated u;
  RETURN taken;
END $$;

-- Gives up the shards that still have this epoch and belong to this worker.
CREATE FUNCTION give_shards(p_worker text, p_shards integer[], p_epochs integer[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_all('shard', ARRAY(
    SELECT h.shard::text FROM wabakit.shards h WHERE h.shard = ANY (p_shards) AND h.owner = p_worker
  ));
  UPDATE wabakit.shards h SET owner = NULL
  FROM unnest(p_shards, p_epochs) AS k (shard, epoch)
  WHERE h.shard = k.shard AND h.epoch = k.epoch AND h.owner = p_worker;
END $$;

CREATE FUNCTION end_worker(p_worker text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM give_shards(p_worker, array_agg(h.shard), array_agg(h.epoch)) FROM wabakit.shards h WHERE h.owner = p_worker;
  DELETE FROM wabakit.workers w WHERE w.id = p_worker;
END $$;
`

/** Holds a worker's lock in a client's session. */
export const holdWorker = `SELECT pg_advisory_lock_shared(wabakit.lock_key('worker', $1))`

export const noticeLostWorkers = `SELECT notice_lost_workers('')`
