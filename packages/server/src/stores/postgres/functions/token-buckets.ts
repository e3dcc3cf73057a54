import type { TokenBucketState, TokenBuckets } from '@wabakit/core'
import type { Query } from '../query.ts'

/** Rate limits. */
export const tokenBucketFunctions = /* sql */ `
-- Takes one token from each bucket, or from none if one of them is empty.
CREATE FUNCTION take_tokens(p_buckets json) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  moment bigint;
  is_granted boolean;
  states json;
BEGIN
  PERFORM lock_all('bucket', ARRAY(SELECT each ->> 'key' FROM json_array_elements(p_buckets) AS each));
  moment := wabakit.clock_ms();

  WITH requested AS (
    SELECT r.*, a.n, r."refillMs" / r.capacity AS interval,
      least(greatest(coalesce(b.full_at, moment), moment), moment + r."refillMs") + r."refillMs" / r.capacity AS full_at
    FROM json_array_elements(p_buckets) WITH ORDINALITY AS a (bucket, n)
    CROSS JOIN LATERAL json_to_record(a.bucket) AS r (
      key text, capacity double precision, "refillMs" double precision
    )
    LEFT JOIN wabakit.token_buckets b ON b.key = r.key
  ), measured AS (
    -- Rounded, so that sums of fractions of a millisecond do not cost a token.
    SELECT requested.*, round((moment + "refillMs" - full_at)::numeric, 3)::double precision AS free_ms FROM requested
  ), verdict AS (
    SELECT bool_and(free_ms >= 0) AS granted FROM measured
  ), kept AS (
    INSERT INTO wabakit.token_buckets (key, full_at)
    SELECT m.key, m.full_at FROM measured m, verdict WHERE verdict.granted
    ON CONFLICT (key) DO UPDATE SET full_at = EXCLUDED.full_at
  )
  SELECT granted, json_agg(json_build_object(
    -- More than the rounding error, which must not cost a token either.
    'remaining', greatest(0, floor((free_ms + 0.001 + CASE WHEN granted THEN 0 ELSE interval END) / interval)),
    'retryAfterMs', CASE WHEN granted THEN 0 ELSE greatest(0, -free_ms) END,
    'fullAfterMs', greatest(0, "refillMs" - free_ms - CASE WHEN granted THEN 0 ELSE interval END)
  ) ORDER BY n)
  INTO is_granted, states
  FROM measured, verdict GROUP BY granted;

  IF is_granted AND random() < 0.001 THEN
    DELETE FROM wabakit.token_buckets WHERE key = ANY (ARRAY(
      SELECT b.key FROM wabakit.token_buckets b WHERE b.full_at <= moment LIMIT 2000 FOR UPDATE SKIP LOCKED
    ));
  END IF;
  RETURN states;
END $$;
`

/** Takes one token from each bucket, or from none if one of them is empty. */
export const takeTokens = async (
  query: Query,
  buckets: Parameters<TokenBuckets['take']>[0]['buckets'],
): Promise<TokenBucketState[]> => {
  const [row] = await query<{ states: TokenBucketState[] }>('SELECT take_tokens($1) AS states', [
    JSON.stringify(buckets),
  ])
  return row?.states ?? []
}
