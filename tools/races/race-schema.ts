/** Number of sessions. */
export const sessions = 3
/** Maximum number of gates that a session passes in an order. */
const maxPlaces = 200
/** The first of the keys with which a session reports its gate. */
export const firstToldKey = 100

/** The functions with which sessions wait at gates, in a store's function schema. */
export const raceSchema = (schema: string): string => /* sql */ `
CREATE SCHEMA race;
${Array.from({ length: sessions }, (_, session) => `CREATE SEQUENCE race.places_${session};`).join('\n')}
CREATE FUNCTION race.gate(p_gate integer) RETURNS void LANGUAGE plpgsql SET lock_timeout = 0 AS $$
DECLARE
  session integer := nullif(current_setting('race.session', true), '')::integer;
  place integer;
BEGIN
  IF session IS NULL OR p_gate = ANY (current_setting('race.skipped')::integer[]) THEN
    RETURN;
  END IF;
  place := nextval('race.places_' || session);
  IF place > ${maxPlaces} THEN
    RAISE EXCEPTION 'There are more than ${maxPlaces} gates.';
  END IF;
  PERFORM pg_advisory_lock_shared(${firstToldKey} + session, p_gate);
  PERFORM pg_advisory_lock(session, place);
  PERFORM pg_advisory_unlock(session, place);
  PERFORM pg_advisory_unlock_shared(${firstToldKey} + session, p_gate);
END $$;
-- Lets a session go, if one is given, and returns the locks of all when each of them waits, or one has no transaction.
CREATE FUNCTION race.step(p_session integer, p_place integer, p_pids integer[])
RETURNS TABLE (pid integer, granted boolean, classid float8, objid float8, objsubid smallint) LANGUAGE plpgsql AS $$
DECLARE
  found json;
BEGIN
  PERFORM pg_advisory_unlock(p_session, p_place) WHERE p_session IS NOT NULL;
  FOR tries IN 1..1000 LOOP
    SELECT json_agg(row_to_json(l)) INTO found FROM pg_locks l WHERE l.pid = ANY (p_pids);
    EXIT WHEN NOT EXISTS (
      SELECT FROM unnest(p_pids) AS k (pid)
      WHERE NOT EXISTS (SELECT FROM json_to_recordset(found) AS l (pid integer, granted boolean) WHERE l.pid = k.pid AND NOT l.granted)
    ) OR EXISTS (
      SELECT FROM unnest(p_pids) AS k (pid)
      WHERE NOT EXISTS (SELECT FROM json_to_recordset(found) AS l (pid integer) WHERE l.pid = k.pid)
    );
    PERFORM pg_sleep(0.0005);
  END LOOP;
  RETURN QUERY SELECT l.pid, l.granted, l.classid::float8, l.objid::float8, l.objsubid
  FROM json_to_recordset(found) AS l (pid integer, granted boolean, locktype text, classid bigint, objid bigint, objsubid smallint)
  WHERE NOT l.granted OR l.objsubid = 2 AND l.classid >= ${firstToldKey} AND l.locktype = 'advisory';
END $$;
SET search_path = ${schema};`

/** Closes all gates of the first sessions, and counts their places from 1 again. */
export const closeGates = (count: number): string =>
  Array.from(
    { length: count },
    (_, session) =>
      `SELECT setval('race.places_${session}', 1, false); SELECT count(pg_advisory_lock(${session}, n)) FROM generate_series(1, ${maxPlaces}) n`,
  ).join(';')
