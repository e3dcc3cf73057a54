import type {
  AttemptKey,
  AttemptRecord,
  DeliveryProgress,
  DisabledReason,
  EventRecord,
  Pace,
  PendingDelivery,
  SubscriptionRecord,
} from '@wabakit/core'
import { progressFields, type SettledDelivery } from '@wabakit/core/storage'
import { parseDeliveryId } from '../../delivery-key.ts'
import { kept, progress } from '../progress.ts'
import type { Query } from '../query.ts'
import { formatEvents } from './events.ts'
import { type AddedRow, isHead, pendingColumns } from './lanes.ts'

/** The progress of a delivery `g` after a successful attempt. It must be what `decideSettlement` in core decides. */
const afterSuccess: Readonly<Record<keyof DeliveryProgress, string>> = {
  attempts: 'g.attempts + 1',
  failures: 'g.failures',
  deferrals: 'g.deferrals',
  deferredMs: 'g.deferred_ms',
}

/**
 * Functions that settle deliveries. The process computes a settlement's changes from the loaded
 * delivery. Therefore, `settle` is a compare-and-set: it writes all results, or returns the rows that differ
 * from the assumptions and writes nothing.
 */
export const settlementFunctions = /* sql */ `
-- Returns the shards that the worker no longer owns: their epochs differ from the ones that it knows.
CREATE FUNCTION find_lost_shards(p_shards integer[], p_epochs integer[]) RETURNS integer[] LANGUAGE sql STABLE
RETURN ARRAY(
  SELECT k.shard FROM unnest(p_shards, p_epochs) AS k (shard, epoch)
  WHERE NOT EXISTS (SELECT FROM wabakit.shards h WHERE h.shard = k.shard AND h.epoch = k.epoch OFFSET 0)
);

-- Settles deliveries: successes of pending ones, given as arrays, and others, given as records. The subscriptions of
-- all deliveries are given with their assumed values, and those that change with new values. Publishes health events, if
-- any. Returns the next heads and the added deliveries, or the differences.
CREATE FUNCTION settle(
  p_shards integer[], p_epochs integer[],
  p_queues bigint[], p_failing bigint[], p_reported boolean[], p_disabled boolean[], p_new_queues json,
  p_subscriptions bigint[], p_events bigint[], p_versions integer[], p_finished bigint[],
  p_started bigint[], p_durations double precision[], p_urls text[], p_statuses integer[], p_bodies text[],
  p_others json, p_health json, OUT next json, OUT added json, OUT different json
) LANGUAGE plpgsql AS $$
DECLARE
  touched text[] := p_queues::text[];
  places tid[];
  lanes bigint[];
  others integer := coalesce(json_array_length(p_others), 0);
  found_others integer;
  closing text[] := ARRAY(
    SELECT n.queue::text FROM json_to_recordset(p_new_queues) AS n (queue bigint, disabled text) WHERE n.disabled IS NOT NULL
  );
BEGIN
  PERFORM limit_lock_wait(2);
  PERFORM lock_all('shard', p_shards::text[]);
  IF p_health IS NOT NULL THEN
    PERFORM share_all('organization', ARRAY(SELECT h->>'organization_id' FROM json_array_elements(p_health) AS h));
    touched := touched || ARRAY(
      SELECT s.position::text FROM wabakit.subscriptions s
      WHERE s.channel = 'OPERATIONS' AND s.organization_id IN (SELECT h->>'organization_id' FROM json_array_elements(p_health) AS h)
    );
  END IF;
  IF cardinality(closing) > 0 THEN
    PERFORM lock_all('subscription', touched);
  ELSE
    PERFORM share_all('subscription', touched);
  END IF;

  -- Under the locks, no other transaction changes the rows that these statements find.
  SELECT array_agg(p.ctid), array_agg(p.lane) INTO places, lanes
  FROM unnest(p_subscriptions, p_events, p_versions) AS k (subscription, event, version)
  CROSS JOIN LATERAL (
    SELECT p.ctid, p.lane FROM wabakit.unfinished_deliveries p
    WHERE p.subscription = k.subscription AND p.event = k.event AND p.version = k.version OFFSET 0
  ) AS p;
  IF others > 0 THEN
    SELECT count(*) INTO found_others
    FROM json_to_recordset(p_others) AS o (subscription bigint, event bigint, version integer, before text)
    WHERE o.before = (
      SELECT CASE p.state WHEN 'fresh' THEN 'started' ELSE p.state END FROM wabakit.unfinished_deliveries p
      WHERE p.subscription = o.subscription AND p.event = o.event AND p.version = o.version
    ) OR o.before = (
      SELECT f.state FROM wabakit.deliveries f
      WHERE f.subscription = o.subscription AND f.event = o.event AND f.version = o.version
    );
  END IF;
  IF coalesce(cardinality(places), 0) <> cardinality(p_events) OR found_others <> others
    OR cardinality(find_lost_shards(p_shards, p_epochs)) > 0
    OR EXISTS (
      SELECT FROM unnest(p_queues, p_failing, p_reported, p_disabled) AS q (queue, failing, reported, disabled)
      CROSS JOIN LATERAL (
        SELECT s.failing_since, s.is_reported, s.disabled_reason FROM wabakit.subscriptions s WHERE s.position = q.queue OFFSET 0
      ) AS s
      WHERE s.failing_since IS DISTINCT FROM q.failing OR s.is_reported <> q.reported OR (s.disabled_reason IS NOT NULL) <> q.disabled
    )
  THEN
    different := (SELECT json_build_object(
      'lost', find_lost_shards(p_shards, p_epochs),
      'queues', (
        SELECT json_agg(json_build_object('queue', s.position::text, 'failingSince', s.failing_since,
          'isReported', s.is_reported, 'disabledReason', s.disabled_reason))
        FROM wabakit.subscriptions s WHERE s.position = ANY (p_queues)
      ),
      'deliveries', (
        SELECT json_agg(json_build_object('id', 'dlv_' || k.event || '_' || k.subscription, 'version', k.version,
          'state', found.state, 'finishedAt', found.finished_at))
        FROM (
          SELECT * FROM unnest(p_subscriptions, p_events, p_versions) AS k (subscription, event, version)
          UNION ALL SELECT * FROM json_to_recordset(p_others) AS o (subscription bigint, event bigint, version integer)
        ) AS k
        CROSS JOIN LATERAL (
          SELECT CASE p.state WHEN 'fresh' THEN 'started' ELSE p.state END AS state, NULL::bigint AS finished_at FROM wabakit.unfinished_deliveries p
          WHERE p.subscription = k.subscription AND p.event = k.event AND p.version = k.version
          UNION ALL
          SELECT f.state, f.finished_at FROM wabakit.deliveries f
          WHERE f.subscription = k.subscription AND f.event = k.event AND f.version = k.version AND f.state = 'skipped'
        ) AS found
      )
    ));
    RETURN;
  END IF;

  IF cardinality(places) > 0 THEN
    WITH gone AS (DELETE FROM wabakit.unfinished_deliveries WHERE ctid = ANY (places) RETURNING *)
    INSERT INTO wabakit.deliveries (
      subscription, event, organization_id, state, version, ${progress.names}, ${kept.names}, finished_at,
      started_at, duration_ms, url, status, response_body
    )
    SELECT g.subscription, g.event, g.organization_id, 'delivered', g.version + 1, ${progressFields.map((field) => afterSuccess[field]).join(', ')},
      ${kept.of('g')}, k.finished, k.started, k.duration, k.url, k.status, k.body
    FROM gone g
    JOIN unnest(p_subscriptions, p_events, p_finished, p_started, p_durations, p_urls, p_statuses, p_bodies)
      AS k (subscription, event, finished, started, duration, url, status, body)
      ON k.subscription = g.subscription AND k.event = g.event;
  END IF;
  IF others > 0 THEN
    lanes := lanes || settle_others(p_others);
  END IF;
  IF json_array_length(p_new_queues) > 0 THEN
    UPDATE wabakit.subscriptions s SET
      failing_since = n.failing_since,
      is_reported = n.is_reported,
      pace = coalesce(n.pace, s.pace),
      disabled_reason = coalesce(n.disabled, s.disabled_reason),
      revision = s.revision + (n.disabled IS NOT NULL)::integer,
      updated_at = CASE WHEN n.disabled IS NULL THEN s.updated_at ELSE n.now END
    FROM json_to_recordset(p_new_queues) AS n (queue bigint, failing_since bigint, is_reported boolean, pace text, disabled text, now bigint)
    WHERE s.position = n.queue AND s.revision > 0;
    PERFORM skip_unfinished(n.queue, n.now) FROM json_to_recordset(p_new_queues) AS n (queue bigint, disabled text, now bigint)
    WHERE n.disabled IS NOT NULL;
  END IF;
  IF p_health IS NOT NULL THEN
    added := publish((
      SELECT coalesce(json_agg(h), '[]') FROM json_array_elements(p_health) AS h
      WHERE EXISTS (SELECT FROM wabakit.organizations o WHERE o.id = h->>'organization_id' AND o.revision > 0 OFFSET 0)
    ));
  END IF;

  SELECT json_agg(row_to_json(reported)) INTO next FROM (
    SELECT ${pendingColumns}, e.subject, p.subscription::text AS queue
    FROM (SELECT DISTINCT lane FROM unnest(lanes) AS lane) AS freed
    CROSS JOIN LATERAL (
      SELECT * FROM wabakit.unfinished_deliveries p WHERE p.lane = freed.lane AND p.state = 'fresh' ORDER BY p.event LIMIT 1
    ) AS p
    CROSS JOIN LATERAL (SELECT e.subject FROM wabakit.events e WHERE e.position = p.event OFFSET 0) AS e
    WHERE ${isHead}
  ) AS reported;
END $$;

-- Writes results one by one, and returns the lanes that may continue. Requires the locks of settle.
CREATE FUNCTION settle_others(p_others json) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
  freed bigint[] := '{}';
  lane_of_other bigint;
  o record;
BEGIN
  FOR o IN SELECT * FROM json_to_recordset(p_others) AS o (
    subscription bigint, event bigint, before text, state text, due_at bigint, finished_at bigint, ${progress.declared}, started_at bigint, duration_ms double precision, url text, status integer, error text,
    response_body text, succeeded boolean, deferred boolean
  ) LOOP
    INSERT INTO wabakit.attempts (
      subscription, event, number, started_at, duration_ms, url, status, error, response_body, succeeded, deferred
    ) VALUES (
      o.subscription, o.event, o.attempts, o.started_at, o.duration_ms, o.url, o.status, o.error, o.response_body, o.succeeded, o.deferred
    );
    IF o.before = 'skipped' THEN
      UPDATE wabakit.deliveries f SET
        state = o.state, version = f.version + 1, ${progress.assignedFrom('o')}, finished_at = o.finished_at
      WHERE f.subscription = o.subscription AND f.event = o.event;
    ELSIF o.due_at IS NOT NULL THEN
      UPDATE wabakit.unfinished_deliveries p SET
        state = o.state, version = p.version + 1, ${progress.assignedFrom('o')}, due_at = o.due_at
      WHERE p.subscription = o.subscription AND p.event = o.event RETURNING p.lane INTO lane_of_other;
      IF o.state = 'passable' THEN
        freed := freed || lane_of_other;
      END IF;
    ELSE
      WITH gone AS (
        DELETE FROM wabakit.unfinished_deliveries p WHERE p.subscription = o.subscription AND p.event = o.event RETURNING *
      ), kept AS (
        INSERT INTO wabakit.deliveries (
          subscription, event, organization_id, state, version, ${progress.names}, ${kept.names}, finished_at
        )
        SELECT g.subscription, g.event, g.organization_id, o.state, g.version + 1, ${progress.of('o')},
          ${kept.of('g')}, o.finished_at
        FROM gone g
      )
      SELECT g.lane INTO lane_of_other FROM gone g;
      freed := freed || lane_of_other;
    END IF;
  END LOOP;
  RETURN freed;
END $$;
`

/** The state that a settlement assumes for a subscription. */
export type AssumedQueue = Pick<SubscriptionRecord, 'failingSince' | 'isReported' | 'disabledReason'>

/** A settlement's changes to a subscription. A `pace` or `disabled` of `null` changes nothing. */
export type NewQueue = {
  readonly queue: string
  readonly failing_since: number | null
  readonly is_reported: boolean
  readonly pace: Pace | null
  readonly disabled: DisabledReason | null
  readonly now: number
}

/** A delivery before and after its settlement, and the attempt. */
export type DecidedRow = {
  readonly key: AttemptKey
  readonly before: SettledDelivery['state']
  readonly after: SettledDelivery
  readonly attempt: Omit<AttemptRecord, 'deliveryId'>
}

export type SettleInput = {
  readonly epochs: ReadonlyMap<number, number>
  readonly assumed: ReadonlyMap<string, AssumedQueue>
  readonly changed: readonly NewQueue[]
  readonly rows: readonly DecidedRow[]
  /** Events about the subscriptions' health. */
  readonly events: readonly EventRecord[]
}

/** The rows that differ from the settlements' assumptions. A missing delivery makes its settlement stale. */
export type Difference = {
  readonly lost: readonly number[]
  readonly queues: ReadonlyArray<AssumedQueue & { readonly queue: string }> | null
  readonly deliveries: ReadonlyArray<{
    readonly id: string
    readonly version: number
    readonly state: SettledDelivery['state']
    readonly finishedAt: number | null
  }> | null
}

/** The new head of a lane that may continue. */
export type NextHead = PendingDelivery & { readonly queue: string; readonly subject: string }

export type Settled = {
  readonly next: readonly NextHead[] | null
  readonly added: readonly AddedRow[] | null
  readonly different: Difference | null
}

/** Returns whether a pending delivery succeeded. Such results are passed to SQL as arrays. */
const isSuccess = ({ before, after, attempt }: DecidedRow): boolean =>
  after.state === 'delivered' && before !== 'skipped' && attempt.error === null

const toOther = ({ key, before, after, attempt }: DecidedRow) => ({
  ...parseDeliveryId(key.id),
  version: key.version,
  before,
  state: after.state,
  due_at: after.dueAt,
  finished_at: after.finishedAt,
  ...progress.toRow(after),
  started_at: attempt.startedAt,
  duration_ms: attempt.durationMs,
  url: attempt.url,
  status: attempt.status,
  error: attempt.error,
  response_body: attempt.responseBody,
  succeeded: attempt.succeeded,
  deferred: attempt.deferred,
})

/** Writes results unless a row differs from the assumptions. */
export const settle = async (query: Query, input: SettleInput): Promise<Settled> => {
  const { epochs, assumed, changed, rows, events } = input
  const successes = rows.filter(isSuccess)
  const deliveries = successes.map(({ key }) => parseDeliveryId(key.id))
  const others = rows.filter((row) => !isSuccess(row)).map(toOther)
  const [settled] = await query<Settled>(
    `SELECT next, added, different
     FROM settle($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
    [
      [...epochs.keys()],
      [...epochs.values()],
      [...assumed.keys()],
      [...assumed.values()].map(({ failingSince }) => failingSince),
      [...assumed.values()].map(({ isReported }) => isReported),
      [...assumed.values()].map(({ disabledReason }) => disabledReason !== null),
      JSON.stringify(changed),
      deliveries.map(({ subscription }) => subscription),
      deliveries.map(({ event }) => event),
      successes.map(({ key }) => key.version),
      successes.map(({ after }) => after.finishedAt),
      successes.map(({ attempt }) => attempt.startedAt),
      successes.map(({ attempt }) => attempt.durationMs),
      successes.map(({ attempt }) => attempt.url),
      successes.map(({ attempt }) => attempt.status),
      successes.map(({ attempt }) => attempt.responseBody),
      others.length === 0 ? null : JSON.stringify(others),
      events.length === 0 ? null : formatEvents(events),
    ],
  )
  return settled ?? { next: null, added: null, different: null }
}
