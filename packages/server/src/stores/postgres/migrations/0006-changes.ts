import { listColumns } from '../records.ts'

/**
 * Changes of records, each with the event that reports it and the deliveries of that event. One call makes several
 * changes, each of a different record. Records are locked in the order of their keys, which prevents deadlocks. `done`
 * has the ordinals, from 1, of the changes that were made as requested.
 */
export const changes = /* sql */ `
CREATE FUNCTION wabakit.create_groups(
  p_organizations text[], p_groups json, p_events json, OUT done integer[], OUT kept json, OUT due boolean
) LANGUAGE plpgsql AS $$
DECLARE
  input wabakit.groups[];
BEGIN
  PERFORM wabakit.limit_lock_wait(cardinality(p_organizations));
  PERFORM wabakit.enter_organizations(p_organizations);
  input := ARRAY(SELECT r FROM json_populate_recordset(NULL::wabakit.groups, p_groups) AS r);
  WITH created AS (
    INSERT INTO wabakit.groups SELECT g.* FROM unnest(input) AS g ORDER BY g.organization_id, g.client_custom_group_id
    ON CONFLICT DO NOTHING RETURNING organization_id, client_custom_group_id
  )
  SELECT coalesce(array_agg(g.ordinality), '{}') INTO done FROM unnest(input) WITH ORDINALITY AS g
  JOIN created USING (organization_id, client_custom_group_id);
  due := wabakit.publish(p_events, done);
  -- The existing groups of the others.
  SELECT json_agg(json_build_object(
    'ordinal', g.ordinality,
    'outcome', CASE WHEN (existing.row).request_hash = g.request_hash THEN 'same' ELSE 'conflict' END,
    'group', row_to_json(existing.row)
  )) INTO kept
  FROM unnest(input) WITH ORDINALITY AS g
  CROSS JOIN LATERAL (
    SELECT e AS row FROM wabakit.groups e
    WHERE e.organization_id = g.organization_id AND e.client_custom_group_id = g.client_custom_group_id OFFSET 0
  ) AS existing
  WHERE NOT g.ordinality = ANY (done);
END $$;

CREATE FUNCTION wabakit.save_participants(
  p_organizations text[], p_participants json, p_events json, OUT done integer[], OUT due boolean
) LANGUAGE plpgsql AS $$
DECLARE
  input wabakit.participants[];
BEGIN
  PERFORM wabakit.limit_lock_wait(cardinality(p_organizations));
  PERFORM wabakit.enter_organizations(p_organizations);
  input := ARRAY(SELECT r FROM json_populate_recordset(NULL::wabakit.participants, p_participants) AS r);
  WITH saved AS (
    INSERT INTO wabakit.participants AS current
    SELECT p.* FROM unnest(input) AS p
    WHERE p.revision = 1 OR EXISTS (
      SELECT FROM wabakit.participants e
      WHERE e.organization_id = p.organization_id AND e.group_id = p.group_id AND e.digits = p.digits OFFSET 0
    )
    ORDER BY p.organization_id, p.group_id, p.digits
    ON CONFLICT (organization_id, group_id, digits) DO UPDATE SET
      (${listColumns('participants')}) = ROW(${listColumns('participants', 'EXCLUDED')})
    WHERE current.revision = EXCLUDED.revision - 1
    RETURNING organization_id, group_id, digits
  )
  SELECT coalesce(array_agg(p.ordinality), '{}') INTO done FROM unnest(input) WITH ORDINALITY AS p
  JOIN saved USING (organization_id, group_id, digits);
  due := wabakit.publish(p_events, done);
END $$;

CREATE FUNCTION wabakit.save_calls(
  p_organizations text[], p_calls json, p_events json, OUT done integer[], OUT due boolean
) LANGUAGE plpgsql AS $$
DECLARE
  input wabakit.calls[];
BEGIN
  PERFORM wabakit.limit_lock_wait(cardinality(p_organizations));
  PERFORM wabakit.enter_organizations(p_organizations);
  input := ARRAY(SELECT r FROM json_populate_recordset(NULL::wabakit.calls, p_calls) AS r);
  WITH saved AS (
    INSERT INTO wabakit.calls AS current
    SELECT c.* FROM unnest(input) AS c
    WHERE c.revision = 1 OR EXISTS (
      SELECT FROM wabakit.calls e WHERE e.organization_id = c.organization_id AND e.call_id = c.call_id OFFSET 0
    )
    ORDER BY c.organization_id, c.call_id
    ON CONFLICT (organization_id, call_id) DO UPDATE SET
      (${listColumns('calls')}) = ROW(${listColumns('calls', 'EXCLUDED')})
    WHERE current.revision = EXCLUDED.revision - 1
    RETURNING organization_id, call_id
  )
  SELECT coalesce(array_agg(c.ordinality), '{}') INTO done FROM unnest(input) WITH ORDINALITY AS c
  JOIN saved USING (organization_id, call_id);
  due := wabakit.publish(p_events, done);
END $$;

CREATE FUNCTION wabakit.save_summaries(
  p_organizations text[], p_summaries json, p_events json, OUT done integer[], OUT due boolean
) LANGUAGE plpgsql AS $$
DECLARE
  input wabakit.summaries[];
BEGIN
  PERFORM wabakit.limit_lock_wait(cardinality(p_organizations));
  PERFORM wabakit.enter_organizations(p_organizations);
  input := ARRAY(SELECT r FROM json_populate_recordset(NULL::wabakit.summaries, p_summaries) AS r);
  WITH first AS (
    INSERT INTO wabakit.summaries SELECT s.* FROM unnest(input) AS s ORDER BY s.organization_id, s.call_id
    ON CONFLICT DO NOTHING RETURNING organization_id, call_id
  )
  SELECT coalesce(array_agg(s.ordinality), '{}') INTO done FROM unnest(input) WITH ORDINALITY AS s
  JOIN first USING (organization_id, call_id);
  UPDATE wabakit.summaries e SET (${listColumns('summaries')}) = ROW(${listColumns('summaries', 's')})
  FROM unnest(input) WITH ORDINALITY AS s
  WHERE NOT s.ordinality = ANY (done) AND e.organization_id = s.organization_id AND e.call_id = s.call_id;
  due := wabakit.publish(p_events, done);
END $$;
`
