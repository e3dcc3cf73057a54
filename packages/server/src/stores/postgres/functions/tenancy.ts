import { listColumns } from '../records.ts'

export const tenancyFunctions = /* sql */ `
CREATE FUNCTION save_organization(p_organization json) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  -- Commits new organizations one at a time, in the order of their positions. Otherwise, a client that reads
  -- the list page by page could miss one.
  IF p_organization ->> 'revision' = '1' THEN
    PERFORM lock_all('organizations', ARRAY['']);
  END IF;
  INSERT INTO wabakit.organizations AS current (${listColumns('organizations')})
  SELECT ${listColumns('organizations', 'r')}
  FROM json_populate_record(NULL::wabakit.organizations, p_organization) AS r
  WHERE r.revision = 1 OR EXISTS (SELECT FROM wabakit.organizations o WHERE o.id = r.id)
  ON CONFLICT (id) DO UPDATE SET
    (${listColumns('organizations')}) = ROW(${listColumns('organizations', 'EXCLUDED')})
  WHERE current.revision = EXCLUDED.revision - 1;
  RETURN FOUND;
END $$;

CREATE FUNCTION remove_organization(p_organization_id text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_all('organization', ARRAY[p_organization_id]);
  UPDATE wabakit.organizations SET revision = -1 WHERE id = p_organization_id AND revision > 0;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  DELETE FROM wabakit.api_keys WHERE organization_id = p_organization_id;
  PERFORM mark_removed(ARRAY(
    SELECT s.position FROM wabakit.subscriptions s WHERE s.organization_id = p_organization_id
  ));
  RETURN true;
END $$;

CREATE FUNCTION add_api_key(p_key json) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM enter_organizations(ARRAY[p_key ->> 'organization_id']);
  INSERT INTO wabakit.api_keys (${listColumns('apiKeys')})
  SELECT ${listColumns('apiKeys', 'r')} FROM json_populate_record(NULL::wabakit.api_keys, p_key) AS r
  ON CONFLICT (hash) DO NOTHING;
  RETURN FOUND;
END $$;
`
