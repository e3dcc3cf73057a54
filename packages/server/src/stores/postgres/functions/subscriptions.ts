import type { SubscriptionRecord } from '@wabakit/core'
import type { Query } from '../query.ts'
import { listColumns, mapTable } from '../records.ts'

/** Creating, changing and removing subscriptions. */
export const subscriptionFunctions = /* sql */ `
CREATE FUNCTION save_subscription(p_subscription json) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  input wabakit.subscriptions := json_populate_record(NULL::wabakit.subscriptions, p_subscription);
  current_position bigint;
BEGIN
  PERFORM enter_organizations(ARRAY[input.organization_id]);
  IF input.revision = 1 THEN
    -- New subscriptions are committed one at a time, so that the list grows at its end.
    PERFORM lock_all('subscriptions', ARRAY[input.organization_id]);
    INSERT INTO wabakit.subscriptions (${listColumns('subscriptions')}) VALUES (${listColumns('subscriptions', 'input')})
    ON CONFLICT (organization_id, id) DO NOTHING;
    RETURN FOUND;
  END IF;
  SELECT s.position INTO current_position FROM wabakit.subscriptions s
  WHERE s.organization_id = input.organization_id AND s.id = input.id;
  PERFORM lock_all('subscription', ARRAY[current_position::text]);
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
    PERFORM skip_unfinished(current_position, input.updated_at);
  END IF;
  RETURN true;
END $$;

CREATE FUNCTION skip_unfinished(p_subscription bigint, p_now bigint) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  maximum CONSTANT integer := 500;
  changed integer;
BEGIN
  UPDATE wabakit.deliveries SET status = 'skipped', finished_at = p_now, due_at = NULL, holds_lane = false
  WHERE position = ANY (ARRAY(
    (SELECT d.position FROM wabakit.deliveries d WHERE d.subscription = p_subscription AND d.status = 'waiting' LIMIT maximum)
    UNION ALL
    (SELECT d.position FROM wabakit.deliveries d WHERE d.subscription = p_subscription AND d.due_at IS NOT NULL LIMIT maximum)
  ));
  GET DIAGNOSTICS changed = ROW_COUNT;
  RETURN changed;
END $$;

-- Marks subscriptions as removed: they match no event and have nothing due.
CREATE FUNCTION mark_removed(p_subscriptions bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_all('subscription', p_subscriptions::text[]);
  UPDATE wabakit.subscriptions
  SET revision = -1, disabled_reason = coalesce(disabled_reason, 'by_hand'), events = '{}'
  WHERE position = ANY (p_subscriptions);
END $$;

CREATE FUNCTION remove_subscription(p_organization_id text, p_id text) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  removed bigint;
BEGIN
  SELECT s.position INTO removed FROM wabakit.subscriptions s
  WHERE s.organization_id = p_organization_id AND s.id = p_id AND s.revision > 0 FOR UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM mark_removed(ARRAY[removed]);
  RETURN true;
END $$;
`

/** Saves a subscription, unless its revision does not follow the stored one. */
export const saveSubscription = async (query: Query, subscription: SubscriptionRecord): Promise<boolean> => {
  const [row] = await query<{ saved: boolean }>('SELECT save_subscription($1) AS saved', [
    JSON.stringify(mapTable('subscriptions').toRow(subscription)),
  ])
  return row?.saved === true
}

/** Marks a subscription as removed. Returns whether it existed. */
export const removeSubscription = async (
  query: Query,
  { organizationId, id }: { readonly organizationId: string; readonly id: string },
): Promise<boolean> => {
  const [row] = await query<{ removed: boolean }>('SELECT remove_subscription($1, $2) AS removed', [
    organizationId,
    id,
  ])
  return row?.removed === true
}
