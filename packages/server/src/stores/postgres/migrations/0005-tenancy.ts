import { listColumns } from '../records.ts'

/** Organizations and API keys. */
export const tenancy = /* sql */ `
CREATE FUNCTION wabakit.save_organization(p_organization json) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  -- New organizations are committed one at a time, so that the list grows at its end.
  IF p_organization ->> 'revision' = '1' THEN
    PERFORM pg_advisory_xact_lock(wabakit.lock_key('organizations', ''));
  END IF;
  INSERT INTO wabakit.organizations AS current
    (${listColumns('organizations')})
  SELECT ${listColumns('organizations', 'r')}
  FROM json_populate_record(NULL::wabakit.organizations, p_organization) AS r
  WHERE r.revision = 1 OR EXISTS (SELECT FROM wabakit.organizations o WHERE o.id = r.id)
  ON CONFLICT (id) DO UPDATE SET
    (${listColumns('organizations')}) = ROW(${listColumns('organizations', 'EXCLUDED')})
  WHERE current.revision = EXCLUDED.revision - 1;
  RETURN FOUND;
END $$;

CREATE FUNCTION wabakit.remove_organization(p_organization_id text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  key bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(wabakit.lock_key('organization', p_organization_id));
  FOR key IN
    SELECT wabakit.lock_key('subscription', s.position::text) FROM wabakit.subscriptions s
    WHERE s.organization_id = p_organization_id ORDER BY 1
  LOOP
    PERFORM pg_advisory_xact_lock(key);
  END LOOP;
  DELETE FROM wabakit.attempts a USING wabakit.subscriptions s
  WHERE s.organization_id = p_organization_id AND a.subscription = s.position;
  DELETE FROM wabakit.deliveries WHERE organization_id = p_organization_id;
  DELETE FROM wabakit.events WHERE organization_id = p_organization_id;
  DELETE FROM wabakit.subscriptions WHERE organization_id = p_organization_id;
  DELETE FROM wabakit.summaries WHERE organization_id = p_organization_id;
  DELETE FROM wabakit.calls WHERE organization_id = p_organization_id;
  DELETE FROM wabakit.participants WHERE organization_id = p_organization_id;
  DELETE FROM wabakit.groups WHERE organization_id = p_organization_id;
  DELETE FROM wabakit.api_keys WHERE organization_id = p_organization_id;
  DELETE FROM wabakit.organizations WHERE id = p_organization_id;
  RETURN FOUND;
END $$;

CREATE FUNCTION wabakit.add_api_key(p_key json) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM wabakit.enter_organizations(ARRAY[p_key ->> 'organization_id']);
  INSERT INTO wabakit.api_keys (${listColumns('apiKeys')})
  SELECT ${listColumns('apiKeys', 'r')} FROM json_populate_record(NULL::wabakit.api_keys, p_key) AS r
  ON CONFLICT (hash) DO NOTHING;
  RETURN FOUND;
END $$;
`
