/** Subscriptions. */
export const subscriptions = /* sql */ `
-- Skips everything unsettled of a subscription; claims that are out can still report. Needs its exclusive lock.
CREATE FUNCTION wabakit.skip_unsettled(p_subscription bigint, p_now bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE wabakit.deliveries SET status = 'skipped', finished_at = p_now
  WHERE subscription = p_subscription AND status = 'waiting';
  UPDATE wabakit.deliveries SET status = 'skipped', finished_at = p_now, due_at = NULL, holds_lane = false
  WHERE subscription = p_subscription AND due_at IS NOT NULL;
END $$;

CREATE FUNCTION wabakit.save_subscription(p_subscription json) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  wanted record;
  kept bigint;
BEGIN
  SELECT r.* INTO wanted FROM json_to_record(p_subscription) AS r (
    id text, "organizationId" text, revision integer, channel text, number text, digits text, url text, events json,
    secret text, "previousSecret" json, "disabledReason" text, "failingSince" bigint, "createdAt" bigint,
    "updatedAt" bigint
  );
  PERFORM wabakit.enter_organizations(ARRAY[wanted."organizationId"]);
  IF wanted.revision = 1 THEN
    -- New ones are committed one after the other, so that the list grows at its end.
    PERFORM pg_advisory_xact_lock(wabakit.lock_key('subscriptions', wanted."organizationId"));
    INSERT INTO wabakit.subscriptions (
      id, organization_id, revision, channel, number, digits, url, events, secret, previous_secret,
      disabled_reason, failing_since, created_at, updated_at
    ) VALUES (
      wanted.id, wanted."organizationId", 1, wanted.channel, wanted.number, wanted.digits, wanted.url,
      wabakit.all_or_some(wanted.events), wanted.secret, wanted."previousSecret", wanted."disabledReason",
      wanted."failingSince", wanted."createdAt", wanted."updatedAt"
    ) ON CONFLICT (organization_id, id) DO NOTHING;
    RETURN FOUND;
  END IF;
  SELECT s.position INTO kept FROM wabakit.subscriptions s
  WHERE s.organization_id = wanted."organizationId" AND s.id = wanted.id;
  PERFORM wabakit.lock_subscription(kept);
  UPDATE wabakit.subscriptions s SET
    revision = wanted.revision, channel = wanted.channel, number = wanted.number, digits = wanted.digits,
    url = wanted.url, events = wabakit.all_or_some(wanted.events), secret = wanted.secret,
    previous_secret = wanted."previousSecret", disabled_reason = wanted."disabledReason",
    failing_since = CASE
      WHEN s.url <> wanted.url OR s.disabled_reason IS NOT NULL AND wanted."disabledReason" IS NULL THEN NULL
      ELSE s.failing_since
    END,
    pace = CASE
      WHEN s.url <> wanted.url OR s.disabled_reason IS NOT NULL AND wanted."disabledReason" IS NULL THEN 'new'
      ELSE s.pace
    END,
    created_at = wanted."createdAt", updated_at = wanted."updatedAt"
  WHERE s.position = kept AND s.revision = wanted.revision - 1;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  IF wanted."disabledReason" IS NOT NULL THEN
    PERFORM wabakit.skip_unsettled(kept, wanted."updatedAt");
  END IF;
  RETURN true;
END $$;

CREATE FUNCTION wabakit.remove_subscription(p_organization_id text, p_id text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  removed bigint;
BEGIN
  SELECT s.position INTO removed FROM wabakit.subscriptions s
  WHERE s.organization_id = p_organization_id AND s.id = p_id;
  PERFORM wabakit.lock_subscription(removed);
  DELETE FROM wabakit.attempts WHERE subscription = removed;
  DELETE FROM wabakit.deliveries WHERE subscription = removed;
  DELETE FROM wabakit.subscriptions WHERE position = removed;
  RETURN FOUND;
END $$;
`
