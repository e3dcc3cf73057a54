import { kept, progress } from '../progress.ts'
import { listColumns } from '../records.ts'
import { queueColumns } from './lanes.ts'

export const subscriptionFunctions = /* sql */ `
-- Finishes unfinished deliveries as skipped, without changing the version. Requires the exclusive locks of their
-- subscriptions.
CREATE FUNCTION finish_as_skipped(p_places tid[], p_now bigint) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  finished integer;
BEGIN
  WITH gone AS (DELETE FROM wabakit.unfinished_deliveries WHERE ctid = ANY (p_places) RETURNING *)
  INSERT INTO wabakit.deliveries (
    subscription, event, organization_id, state, version, ${progress.names}, ${kept.names}, finished_at
  )
  SELECT g.subscription, g.event, g.organization_id, 'skipped', g.version, ${progress.of('g')},
    ${kept.of('g')}, p_now
  FROM gone g;
  GET DIAGNOSTICS finished = ROW_COUNT;
  RETURN finished;
END $$;

-- Records that a user changed a subscription or its deliveries. Returns the queue, to report the change.
CREATE FUNCTION note_change(p_subscription bigint) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  queue json;
BEGIN
  UPDATE wabakit.subscriptions SET changed = pg_current_xact_id() WHERE position = p_subscription;
  SELECT row_to_json(reported) INTO queue FROM (
    SELECT ${queueColumns} FROM wabakit.subscriptions s WHERE s.position = p_subscription
  ) AS reported;
  RETURN queue;
END $$;

CREATE FUNCTION save_subscription(p_subscription json, OUT saved boolean, OUT queue json) LANGUAGE plpgsql AS $$
DECLARE
  input wabakit.subscriptions := json_populate_record(NULL::wabakit.subscriptions, p_subscription);
  current_position bigint;
BEGIN
  PERFORM enter_organizations(ARRAY[input.organization_id]);
  IF input.revision = 1 THEN
    -- Commits new subscriptions one at a time, in the order of their positions. Otherwise, a client that
    -- reads the list page by page could miss one.
    PERFORM lock_all('subscriptions', ARRAY[input.organization_id]);
    INSERT INTO wabakit.subscriptions (${listColumns('subscriptions')}) VALUES (${listColumns('subscriptions', 'input')})
    ON CONFLICT (organization_id, id) DO NOTHING;
    saved := FOUND;
    RETURN;
  END IF;
  SELECT s.position INTO current_position FROM wabakit.subscriptions s
  WHERE s.organization_id = input.organization_id AND s.id = input.id;
  PERFORM lock_all('subscription', ARRAY[current_position::text]);
  UPDATE wabakit.subscriptions s SET
    (${listColumns('subscriptions', undefined, ['failing_since', 'is_reported'])})
      = ROW(${listColumns('subscriptions', 'input', ['failing_since', 'is_reported'])}),
    failing_since = CASE
      WHEN s.url <> input.url OR s.disabled_reason IS NOT NULL AND input.disabled_reason IS NULL THEN NULL
      ELSE s.failing_since
    END,
    pace = CASE
      WHEN s.url <> input.url OR s.disabled_reason IS NOT NULL AND input.disabled_reason IS NULL THEN 'new'
      ELSE s.pace
    END
  WHERE s.position = current_position AND s.revision = input.revision - 1;
  saved := FOUND;
  IF NOT saved THEN
    RETURN;
  END IF;
  IF input.disabled_reason IS NOT NULL THEN
    PERFORM skip_unfinished(current_position, input.updated_at);
  END IF;
  queue := note_change(current_position);
END $$;

-- Skips unfinished deliveries of a subscription, up to a maximum. Requires its exclusive lock.
CREATE FUNCTION skip_unfinished(p_subscription bigint, p_now bigint) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  maximum CONSTANT integer := 1000;
BEGIN
  RETURN finish_as_skipped(ARRAY(
    SELECT p.ctid FROM wabakit.unfinished_deliveries p WHERE p.subscription = p_subscription ORDER BY p.event LIMIT maximum
  ), p_now);
END $$;

-- Marks subscriptions as removed: they match no events and have no due deliveries.
CREATE FUNCTION mark_removed(p_subscriptions bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_all('subscription', p_subscriptions::text[]);
  UPDATE wabakit.subscriptions
  SET revision = -1, disabled_reason = coalesce(disabled_reason, 'by_hand'), events = '{}'
  WHERE position = ANY (p_subscriptions);
END $$;

CREATE FUNCTION remove_subscription(p_organization_id text, p_id text, OUT removed boolean, OUT queue json)
LANGUAGE plpgsql AS $$
DECLARE
  found_position bigint;
BEGIN
  SELECT s.position INTO found_position FROM wabakit.subscriptions s
  WHERE s.organization_id = p_organization_id AND s.id = p_id;
  -- Taken before locking the row, because a settlement shares this lock and then updates the row. In the
  -- opposite order, the two could deadlock.
  PERFORM lock_all('subscription', ARRAY[found_position::text]);
  removed := EXISTS (SELECT FROM wabakit.subscriptions s WHERE s.position = found_position AND s.revision > 0);
  IF removed THEN
    PERFORM mark_removed(ARRAY[found_position]);
    queue := note_change(found_position);
  END IF;
END $$;
`
