/**
 * A log of who claimed which delivery when, and who settled it, written by triggers: PostgreSQL's own account, beside
 * that of the endpoint and that of the server's tables. A process is known by its `application_name`.
 *
 * `lease_left_ms` says how much of the claim before was left when it was taken over; null when there was none. `lost_ms`
 * says for how long the worker of a claim that ended was known to be lost.
 */
export const claimLog = /* sql */ `
CREATE SCHEMA torture;

CREATE TABLE torture.claims (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event bigint NOT NULL,
  kind text NOT NULL, -- claimed, settled, released: due again without an attempt, or dropped: by sending again what had been skipped
  claim_id text NOT NULL,
  process text NOT NULL,
  at bigint NOT NULL,
  lease_left_ms bigint,
  lost_ms bigint
);
CREATE INDEX claims_of_process ON torture.claims (process, claim_id);

CREATE FUNCTION torture.log_claim() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO torture.claims (event, kind, claim_id, process, at, lease_left_ms, lost_ms) VALUES (
    NEW.event,
    CASE
      WHEN NEW.claim_id IS NOT NULL THEN 'claimed'
      WHEN NEW.status = 'waiting' THEN 'dropped'
      WHEN NEW.status = 'pending' AND NEW.attempts = OLD.attempts THEN 'released'
      ELSE 'settled'
    END,
    coalesce(NEW.claim_id, OLD.claim_id),
    current_setting('application_name'),
    floor(extract(epoch FROM clock_timestamp()) * 1000),
    CASE WHEN OLD.status = 'claimed' AND NEW.claim_id IS NOT NULL THEN OLD.due_at - wabakit.clock_ms() END,
    wabakit.clock_ms() - (SELECT w.lost_at FROM wabakit.workers w WHERE w.number = OLD.worker)
  );
  RETURN NULL;
END $$;

CREATE TRIGGER log_claim AFTER UPDATE ON wabakit.deliveries FOR EACH ROW
WHEN (OLD.claim_id IS DISTINCT FROM NEW.claim_id) EXECUTE FUNCTION torture.log_claim();
`
