import type { TokenBucket, TokenBucketState } from '@wabakit/core'
import type { Query } from '../query.ts'

export const tokenBucketFunctions = /* sql */ `
-- Takes tokens from each bucket: the wanted number or, if there are fewer, all of them, at least one. If a bucket is
-- empty, takes none. A row is replaced by one with a later time instead of being updated. The index finds the new row
-- first, and so never visits the earlier ones, which all stay while any transaction holds a snapshot.
CREATE FUNCTION take_tokens(p_buckets json) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  moment bigint;
  is_granted boolean;
  states json;
BEGIN
  PERFORM lock_all('bucket', ARRAY(SELECT each ->> 'key' FROM json_array_elements(p_buckets) AS each));
  moment := wabakit.clock_ms();

  WITH requested AS (
    SELECT r.*, a.n, b.row AS replaced, r."refillMs" / r.capacity AS interval,
      least(greatest(coalesce(b.full_at, moment), moment), moment + r."refillMs") AS full_before
    FROM json_array_elements(p_buckets) WITH ORDINALITY AS a (bucket, n)
    CROSS JOIN LATERAL json_to_record(a.bucket) AS r (
      key text, capacity double precision, "refillMs" double precision, wanted integer
    )
    LEFT JOIN LATERAL (
      SELECT t.ctid AS row, t.full_at FROM wabakit.token_buckets t WHERE t.key = r.key ORDER BY t.full_at DESC LIMIT 1
    ) b ON true
  ), counted AS (
    SELECT r.*, greatest(1, least(r.wanted, floor((moment + r."refillMs" - r.full_before) / r.interval))) AS taken FROM requested r
  ), planned AS (
    SELECT c.*, c.full_before + c.taken * c.interval AS full_at FROM counted c
  ), measured AS (
    -- Rounded, so that accumulated fractions of a millisecond do not cost a token.
    SELECT p.*, round((moment + p."refillMs" - p.full_at)::numeric, 3)::double precision AS free_ms FROM planned p
  ), verdict AS (
    SELECT bool_and(free_ms >= 0) AS granted FROM measured
  ), kept AS (
    INSERT INTO wabakit.token_buckets (key, full_at) SELECT m.key, m.full_at FROM measured m, verdict WHERE verdict.granted
  ), removed AS (
    DELETE FROM wabakit.token_buckets b USING measured m, verdict WHERE verdict.granted AND b.ctid = m.replaced
  )
  SELECT granted, json_agg(json_build_object(
    -- Exceeds the rounding error, which must not cost a token either.
    'remaining', greatest(0, floor((free_ms + 0.001 + CASE WHEN granted THEN 0 ELSE interval END) / interval)),
    'retryAfterMs', CASE WHEN granted THEN 0 ELSE greatest(0, -free_ms) END,
    'fullAfterMs', greatest(0, "refillMs" - free_ms - CASE WHEN granted THEN 0 ELSE interval END),
    'taken', CASE WHEN granted THEN taken ELSE 0 END
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

/** A bucket and the number of tokens to take from it. */
export type WantedTokens = TokenBucket & { readonly wanted: number }

/** The state of a bucket and the number of tokens taken. */
export type TakenTokens = TokenBucketState & { readonly taken: number }

/** Takes at least one token from each bucket, or none at all if a bucket is empty. */
export const takeTokens = async (query: Query, buckets: readonly WantedTokens[]): Promise<TakenTokens[]> => {
  const [row] = await query<{ states: TakenTokens[] }>('SELECT take_tokens($1) AS states', [
    JSON.stringify(buckets),
  ])
  return row?.states ?? []
}
