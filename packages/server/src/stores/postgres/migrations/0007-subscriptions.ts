import { listColumns } from '../records.ts'

/** Creating and changing subscriptions. Step 14 creates it again, because it lists the columns. */
export const saveSubscription = /* sql */ `
CREATE OR REPLACE FUNCTION wabakit.save_subscription(p_subscription json) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  input wabakit.subscriptions := json_populate_record(NULL::wabakit.subscriptions, p_subscription);
  current_position bigint;
BEGIN
  PERFORM wabakit.enter_organizations(ARRAY[input.organization_id]);
  IF input.revision = 1 THEN
    -- New subscriptions are committed one at a time, so that the list grows at its end.
    PERFORM pg_advisory_xact_lock(wabakit.lock_key('subscriptions', input.organization_id));
    INSERT INTO wabakit.subscriptions (${listColumns('subscriptions')}) VALUES (${listColumns('subscriptions', 'input')})
    ON CONFLICT (organization_id, id) DO NOTHING;
    RETURN FOUND;
  END IF;
  SELECT s.position INTO current_position FROM wabakit.subscriptions s
  WHERE s.organization_id = input.organization_id AND s.id = input.id;
  PERFORM wabakit.lock_subscription(current_position);
  UPDATE wabakit.subscriptions s SET
    (${listColumns('subscriptions', undefined, ['failing_since'])})
      = ROW(${listColumns('subscriptions', 'input', ['failing_since'])}),
    failing_since = CASE
      WHEN s.url <> input.url OR s.disabled_reason IS NOT NULL AND input.disabled_reason IS NULL THEN NULL
      ELSE s.failing_since
    END,
    pace = CASE
      WHEN s.url <> input.url OR s.disabled_reason IS NOT NULL AND input.disabled_reason IS NULL THEN 'new'
      ELSE s.pace
    END
  WHERE s.position = current_position AND s.revision = input.revision - 1;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  IF input.disabled_reason IS NOT NULL THEN
    PERFORM wabakit.skip_unfinished(current_position, input.updated_at);
  END IF;
  RETURN true;
END $$;
`

/** Subscriptions. */
export const subscriptions = /* sql */ `
${saveSubscription}
-- Skips the unfinished deliveries of a subscription. Claims in progress can still be settled. Requires the exclusive lock.
CREATE FUNCTION wabakit.skip_unfinished(p_subscription bigint, p_now bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE wabakit.deliveries SET status = 'skipped', finished_at = p_now
  WHERE subscription = p_subscription AND status = 'waiting';
  UPDATE wabakit.deliveries SET status = 'skipped', finished_at = p_now, due_at = NULL, holds_lane = false
  WHERE subscription = p_subscription AND due_at IS NOT NULL;
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
