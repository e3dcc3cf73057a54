/**
 * Triggers that log the owners of shards and the processes that settle deliveries in them: evidence from PostgreSQL
 * itself, in addition to the endpoint's and the server's tables. A process is identified by its `application_name`.
 *
 * For a shard taken from another worker, `lease_left_ms` is the remaining time of that worker's lease, and `lost_ms` is
 * the time since the end of its session was noticed.
 */
export const ownerLog = /* sql */ `
CREATE SCHEMA torture;

CREATE TABLE torture.log (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  shard integer NOT NULL,
  kind text NOT NULL, -- taken, given up, or settled
  process text NOT NULL,
  at bigint NOT NULL,
  owner text,
  lease_left_ms bigint,
  lost_ms bigint
);

CREATE FUNCTION torture.log_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO torture.log (shard, kind, process, at, owner, lease_left_ms, lost_ms)
  SELECT NEW.shard, CASE WHEN NEW.owner IS NULL THEN 'given up' ELSE 'taken' END, current_setting('application_name'),
    wabakit.clock_ms(), NEW.owner, coalesce(w.expires_at - wabakit.clock_ms(), 0), wabakit.clock_ms() - w.lost_at
  FROM (SELECT 1) AS always LEFT JOIN wabakit.workers w ON w.id = OLD.owner;
  RETURN NULL;
END $$;

CREATE TRIGGER log_owner AFTER UPDATE ON wabakit.shards FOR EACH ROW EXECUTE FUNCTION torture.log_owner();

CREATE FUNCTION torture.log_settlement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO torture.log (shard, kind, process, at)
  VALUES (wabakit.shard_of(NEW.subscription), 'settled', current_setting('application_name'), wabakit.clock_ms());
  RETURN NULL;
END $$;

CREATE TRIGGER log_success AFTER INSERT ON wabakit.deliveries FOR EACH ROW
WHEN (NEW.started_at IS NOT NULL) EXECUTE FUNCTION torture.log_settlement();
CREATE TRIGGER log_failure AFTER INSERT ON wabakit.attempts FOR EACH ROW EXECUTE FUNCTION torture.log_settlement();
`
