import { listColumns } from '../records.ts'

/** Functions that write counts of events and attempts over time. */
export const figureFunctions = /* sql */ `
CREATE FUNCTION add_counts(p_left json, p_right json) RETURNS json LANGUAGE sql IMMUTABLE AS $$
  SELECT json_object_agg(name, number) FROM (
    SELECT name, sum(value::bigint) AS number FROM (
      SELECT * FROM json_each_text(p_left) UNION ALL SELECT * FROM json_each_text(p_right)
    ) AS counts (name, value) GROUP BY name
  ) AS sums
$$;

-- Adds counts to the records of their periods, except those of removed organizations and subscriptions. Locks records in
-- key order, because other processes may add to the same ones, and a different order could cause a deadlock.
CREATE FUNCTION add_figures(p_figures json) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO wabakit.figures AS f (${listColumns('figures')})
  SELECT ${listColumns('figures', 'r')} FROM json_populate_recordset(NULL::wabakit.figures, p_figures) AS r
  WHERE EXISTS (SELECT FROM wabakit.organizations o WHERE o.id = r.organization_id AND o.revision > 0 OFFSET 0)
    AND (r.subscription_id = '' OR EXISTS (
      SELECT FROM wabakit.subscriptions s
      WHERE s.organization_id = r.organization_id AND s.id = r.subscription_id AND s.revision > 0 OFFSET 0
    ))
  ORDER BY r.organization_id, r.subscription_id, r.at, r.span
  ON CONFLICT (organization_id, subscription_id, at, span)
  DO UPDATE SET counts = add_counts(f.counts, EXCLUDED.counts);
END $$;

-- Adds at most p_limit records of one span, which start before a time, to those of a longer span, and removes them.
-- Returns their number, or 0 while another process does it. Skips records that others have locked: they lock records in key
-- order and this function in the order of time, so that waiting could cause a deadlock.
CREATE FUNCTION roll_up_figures(p_span integer, p_into_span integer, p_before bigint, p_limit integer)
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  removed integer;
BEGIN
  IF NOT pg_try_advisory_xact_lock(wabakit.lock_key('figures', '')) THEN
    RETURN 0;
  END IF;
  WITH old AS (
    DELETE FROM wabakit.figures WHERE ctid = ANY (ARRAY(
      SELECT f.ctid FROM wabakit.figures f WHERE f.span = p_span AND f.at < p_before ORDER BY f.at LIMIT p_limit FOR UPDATE SKIP LOCKED
    )) RETURNING *
  ), sums AS (
    SELECT o.organization_id, o.subscription_id, o.at / p_into_span * p_into_span AS at, c.name, sum(c.value::bigint) AS number
    FROM old o CROSS JOIN LATERAL json_each_text(o.counts) AS c (name, value) GROUP BY 1, 2, 3, 4
  ), added AS (
    INSERT INTO wabakit.figures AS f (organization_id, subscription_id, at, span, counts)
    SELECT s.organization_id, s.subscription_id, s.at, p_into_span, json_object_agg(s.name, s.number)
    FROM sums s GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (organization_id, subscription_id, at, span)
    DO UPDATE SET counts = add_counts(f.counts, EXCLUDED.counts)
  )
  SELECT count(*) INTO removed FROM old;
  RETURN removed;
END $$;
`
