import { buildTrialCreation } from '../../trial-creation.ts'
import type { Query } from '../query.ts'
import { listColumns, mapTable } from '../records.ts'

export const writeCheckFunctions: string = /* sql */ `
-- Reads from the tables that a request for a new group reads from, and writes to those that it writes to, unless there is no
-- organization. Rolls this back, and commits a change without an effect. Takes no advisory locks: it must not wait for the
-- work of one organization.
CREATE FUNCTION check_creates(p_group json, p_event json) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  existing text;
  place bigint := nextval('wabakit.event_positions');
BEGIN
  PERFORM FROM wabakit.api_keys LIMIT 1;
  PERFORM FROM wabakit.subscriptions LIMIT 1;
  SELECT o.id INTO existing FROM wabakit.organizations o LIMIT 1;
  IF existing IS NOT NULL THEN
    BEGIN
      INSERT INTO wabakit.token_buckets (key, full_at) VALUES (p_event ->> 'id', 0);
      INSERT INTO wabakit.groups (${listColumns('groups')})
      SELECT existing, ${listColumns('groups', 'r', ['organization_id'])}
      FROM json_populate_record(NULL::wabakit.groups, p_group) AS r;
      INSERT INTO wabakit.events (position, organization_id, ${listColumns('events', undefined, ['organization_id'])})
      SELECT place, existing, ${listColumns('events', 'r', ['organization_id'])}
      FROM json_populate_record(NULL::wabakit.events, p_event) AS r;
      INSERT INTO wabakit.unfinished_deliveries (subscription, event, organization_id, lane, waits, due_at)
      VALUES (0, place, existing, 0, false, 0);
      SET CONSTRAINTS ALL IMMEDIATE;
      RAISE EXCEPTION USING ERRCODE = 'WK000';
    EXCEPTION WHEN SQLSTATE 'WK000' THEN
      NULL;
    END;
  END IF;
  UPDATE wabakit.migrations SET applied_at = applied_at WHERE version = 1;
END $$;
`

const groups = mapTable('groups')
const events = mapTable('events')

/**
 * Checks that groups can be created.
 *
 * @throws the error of a request that would create one.
 */
export const checkCreates = async (query: Query): Promise<void> => {
  const { group, event } = buildTrialCreation({ organizationId: '', digits: '' })
  await query('SELECT check_creates($1, $2)', [
    JSON.stringify(groups.toRow(group)),
    JSON.stringify(events.toRow(event)),
  ])
}
