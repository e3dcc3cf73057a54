/** Number of shards. A shard's subscriptions belong to one worker at a time. */
export const shardCount = 64

/**
 * The tables, and the function of their trigger. `position` is the order in which rows were added. Times are Unix time in milliseconds. There are no foreign keys: the functions that
 * write maintain the references, under cheaper locks.
 */
const tables = /* sql */ `
CREATE TABLE wabakit.organizations (
  id text COLLATE "C" PRIMARY KEY,
  position bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  revision integer NOT NULL,
  call_summaries text NOT NULL,
  integrations json NOT NULL,
  pstn_numbers json NOT NULL,
  created_at bigint NOT NULL
);
CREATE INDEX organizations_removed ON wabakit.organizations (revision) WHERE revision < 0;

CREATE TABLE wabakit.api_keys (
  hash text COLLATE "C" PRIMARY KEY,
  position bigint GENERATED ALWAYS AS IDENTITY,
  id text COLLATE "C" NOT NULL,
  organization_id text COLLATE "C" NOT NULL,
  label text NOT NULL,
  waba_numbers text[], -- null: all
  created_at bigint NOT NULL
);
CREATE INDEX api_keys_of_organization ON wabakit.api_keys (organization_id, position);

CREATE TABLE wabakit.groups (
  organization_id text COLLATE "C",
  client_custom_group_id text COLLATE "C",
  request_hash text,
  waba_number text NOT NULL,
  digits text NOT NULL,
  subject text NOT NULL,
  description text,
  join_approval_mode text NOT NULL,
  invite_link text,
  created_at bigint NOT NULL,
  active_at bigint, -- the last step of a participant; null if there was none
  PRIMARY KEY (organization_id, client_custom_group_id)
);
CREATE INDEX groups_by_activity ON wabakit.groups (coalesce(active_at, created_at));
CREATE INDEX groups_by_creation ON wabakit.groups (organization_id, created_at, client_custom_group_id);

CREATE TABLE wabakit.participants (
  organization_id text COLLATE "C",
  group_id text COLLATE "C",
  digits text COLLATE "C",
  phone text NOT NULL,
  revision integer NOT NULL,
  state text NOT NULL,
  changed_at bigint NOT NULL,
  PRIMARY KEY (organization_id, group_id, digits)
);
CREATE INDEX participants_by_number ON wabakit.participants (organization_id, digits);
CREATE INDEX participants_former ON wabakit.participants (changed_at) WHERE state <> 'joined';
CREATE FUNCTION wabakit.update_activity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE wabakit.groups g SET active_at = greatest(g.active_at, g.created_at, NEW.changed_at)
  WHERE g.organization_id = NEW.organization_id AND g.client_custom_group_id = NEW.group_id
    AND g.active_at IS DISTINCT FROM greatest(g.active_at, g.created_at, NEW.changed_at);
  RETURN NULL;
END $$;
CREATE TRIGGER update_activity AFTER INSERT OR UPDATE ON wabakit.participants
  FOR EACH ROW EXECUTE FUNCTION wabakit.update_activity();

CREATE TABLE wabakit.calls (
  organization_id text COLLATE "C",
  call_id text COLLATE "C",
  revision integer NOT NULL,
  state text NOT NULL,
  channel text NOT NULL,
  direction text NOT NULL,
  channel_number text NOT NULL,
  digits text NOT NULL,
  customer_number text NOT NULL,
  agent_number text,
  call_type text NOT NULL,
  triggered_via text NOT NULL,
  publishes_events boolean NOT NULL,
  initiated_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  started_at bigint,
  ended_at bigint,
  duration_in_seconds double precision,
  recorded boolean,
  spoken boolean,
  PRIMARY KEY (organization_id, call_id)
);
CREATE INDEX calls_by_change ON wabakit.calls (updated_at);
CREATE INDEX calls_of_organization ON wabakit.calls (organization_id, initiated_at, call_id);
CREATE INDEX calls_of_customer
  ON wabakit.calls (organization_id, translate(customer_number, '+ .()-', ''), initiated_at, call_id);

-- A row here, or in summary_marks, prevents a second CALL_AI_SUMMARY event of the call.
CREATE TABLE wabakit.summaries (
  organization_id text COLLATE "C",
  call_id text COLLATE "C",
  summary json NOT NULL,
  generated_by text NOT NULL,
  generated_at bigint NOT NULL,
  PRIMARY KEY (organization_id, call_id)
);

-- What remains of a removed summary: the SHA-256 of the call's id.
CREATE TABLE wabakit.summary_marks (
  organization_id text COLLATE "C",
  hash text COLLATE "C",
  PRIMARY KEY (organization_id, hash)
);

CREATE TABLE wabakit.subscriptions (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL,
  organization_id text COLLATE "C" NOT NULL,
  revision integer NOT NULL,
  channel text COLLATE "C" NOT NULL,
  number text NOT NULL,
  digits text COLLATE "C" NOT NULL,
  url text NOT NULL,
  events text[], -- null: all
  secret text NOT NULL,
  previous_secret json,
  headers json NOT NULL DEFAULT '{}',
  disabled_reason text,
  failing_since bigint,
  is_reported boolean NOT NULL DEFAULT false, -- whether operators were told that it fails
  pace text NOT NULL DEFAULT 'new' CHECK (pace IN ('new', 'failing', 'slow', 'quick')),
  -- The last transaction in which a user changed the subscription or its deliveries.
  changed xid8 NOT NULL DEFAULT pg_current_xact_id(),
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  UNIQUE (organization_id, id)
);
CREATE INDEX subscriptions_changed ON wabakit.subscriptions (changed);
CREATE INDEX subscriptions_removed ON wabakit.subscriptions (revision) WHERE revision < 0;
CREATE INDEX subscriptions_of_number ON wabakit.subscriptions (organization_id, channel, digits);
-- Failing and disabled subscriptions, for the metrics.
CREATE INDEX subscriptions_troubled ON wabakit.subscriptions (disabled_reason)
  WHERE failing_since IS NOT NULL OR disabled_reason IS NOT NULL;

CREATE SEQUENCE wabakit.event_positions;

CREATE TABLE wabakit.events (
  position bigint PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  organization_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  subject text COLLATE "C" NOT NULL,
  channel text NOT NULL,
  digits text NOT NULL,
  payload text NOT NULL,
  waits_for text,
  traceparent text,
  occurred_at bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
CREATE INDEX events_of_organization ON wabakit.events (organization_id, position);
CREATE INDEX events_of_subject ON wabakit.events (organization_id, subject, position);
CREATE INDEX events_by_time ON wabakit.events (occurred_at);

-- Unfinished deliveries. If the first attempt succeeds, the row is only inserted and deleted, never updated.
-- While a transaction holds a snapshot, vacuum cannot remove deleted rows, and the planner's estimates of the
-- table are wrong. Therefore, each statement can use only one index, and reads start after the deleted rows.
CREATE TABLE wabakit.unfinished_deliveries (
  subscription bigint, -- its position
  event bigint, -- its position
  organization_id text COLLATE "C" NOT NULL,
  lane bigint NOT NULL, -- a hash of the subscription and the subject
  waits boolean NOT NULL, -- whether the event waits for another
  state text COLLATE "C" NOT NULL DEFAULT 'fresh' CHECK (state IN ('fresh', 'started', 'passable')),
  version integer NOT NULL DEFAULT 0,
  due_at bigint NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  deferrals integer NOT NULL DEFAULT 0,
  deferred_ms bigint NOT NULL DEFAULT 0,
  webhook_id text, -- null: the event's id
  xact xid8 NOT NULL DEFAULT pg_current_xact_id(), -- the transaction that added it or sent it again
  retries_of bigint GENERATED ALWAYS AS (CASE WHEN state <> 'fresh' THEN subscription END) STORED,
  PRIMARY KEY (subscription, event)
);
CREATE INDEX unfinished_deliveries_of_lane ON wabakit.unfinished_deliveries (lane, event);
CREATE INDEX unfinished_deliveries_added ON wabakit.unfinished_deliveries (xact);
CREATE INDEX unfinished_deliveries_of_organization ON wabakit.unfinished_deliveries (organization_id, event, subscription);
CREATE INDEX unfinished_deliveries_retries ON wabakit.unfinished_deliveries (retries_of, due_at, event) WHERE retries_of IS NOT NULL;

-- Finished deliveries. The row of a delivered one also contains its successful attempt.
CREATE TABLE wabakit.deliveries (
  subscription bigint, -- its position
  event bigint, -- its position
  organization_id text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state IN ('delivered', 'exhausted', 'skipped')),
  version integer NOT NULL,
  attempts integer NOT NULL,
  failures integer NOT NULL,
  deferrals integer NOT NULL,
  deferred_ms bigint NOT NULL,
  webhook_id text, -- null: the event's id
  finished_at bigint NOT NULL,
  started_at bigint, -- null: all attempts are in the table of attempts
  duration_ms double precision,
  url text,
  status integer,
  response_body text,
  PRIMARY KEY (subscription, event)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
CREATE INDEX deliveries_of_organization ON wabakit.deliveries (organization_id, event, subscription);
CREATE INDEX deliveries_failed ON wabakit.deliveries (organization_id, event, subscription) WHERE state <> 'delivered';
CREATE INDEX deliveries_finished ON wabakit.deliveries (finished_at);

CREATE TABLE wabakit.attempts (
  subscription bigint, -- its position
  event bigint, -- its position
  number integer,
  started_at bigint NOT NULL,
  duration_ms double precision NOT NULL,
  url text NOT NULL,
  status integer,
  error text,
  response_body text,
  succeeded boolean NOT NULL,
  deferred boolean NOT NULL DEFAULT false,
  PRIMARY KEY (subscription, event, number)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- Leases belong to workers rather than to shards, so that a renewal updates a single row.
CREATE TABLE wabakit.workers (
  id text COLLATE "C" PRIMARY KEY,
  expires_at bigint NOT NULL,
  lost_at bigint -- when another worker noticed that its session is over; null before that
);

-- A row changes only when a worker takes or gives up the shard.
CREATE TABLE wabakit.shards (
  shard integer PRIMARY KEY,
  epoch integer NOT NULL DEFAULT 0,
  owner text COLLATE "C"
);
INSERT INTO wabakit.shards SELECT * FROM generate_series(0, ${shardCount - 1});

-- A bucket is stored as the time at which it will be full (the generic cell rate algorithm, ITU-T I.371), and a bucket
-- without a row is full. Therefore the table needs no write-ahead log: a crash only refills the buckets. A bucket has at most one
-- row: it is replaced under the lock of the bucket.
CREATE UNLOGGED TABLE wabakit.token_buckets (
  key text COLLATE "C",
  full_at double precision,
  PRIMARY KEY (key, full_at)
);`

/**
 * Functions for the clock of all processes, the keys of their advisory locks, and values that rows contain. All versions
 * of the other functions must agree on them.
 */
const agreements = /* sql */ `
-- The clock of all processes, for leases and rate limits.
CREATE FUNCTION wabakit.clock_ms() RETURNS bigint LANGUAGE sql VOLATILE
RETURN floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;

CREATE FUNCTION wabakit.lock_key(p_kind text, p_name text) RETURNS bigint LANGUAGE sql IMMUTABLE
RETURN hashtextextended(p_kind || ' ' || p_name, 0);

-- The key of a lane. Rows contain it, so the function must always return the same value. PostgreSQL does not
-- change hashtextextended, because hash partitions depend on it, too.
CREATE FUNCTION wabakit.lane_of(p_subscription bigint, p_subject text) RETURNS bigint LANGUAGE sql IMMUTABLE
RETURN hashtextextended(p_subject, p_subscription);

-- Subscriptions are spread over 1,024 places, of which each shard has a range.
CREATE FUNCTION wabakit.shard_of(p_subscription bigint) RETURNS integer LANGUAGE sql IMMUTABLE
RETURN (p_subscription * 633 % 1024)::integer / ${1_024 / shardCount};
`

export type Migration = {
  readonly sql: string
  /**
   * The number of steps that a process must know to run after this step. Only a contracting step has it. It is at most
   * the number of the previous step, so that the previous version can still run.
   */
  readonly minimum?: number
}

/**
 * The steps from an empty database to the newest tables. In a database of version n, the first n steps have been
 * applied. A released step never changes. While a new version replaces the previous one, processes of both run on the
 * new version's tables: a step expands the tables, and only a step with a `minimum` contracts them.
 * `migration-rules.test.ts` checks this.
 */
export const migrations: readonly Migration[] = [
  { sql: `${tables}${agreements}` },
  {
    sql: `ALTER TABLE wabakit.events ADD COLUMN has_custom_payload boolean NOT NULL DEFAULT false;
      ALTER TABLE wabakit.subscriptions ADD COLUMN max_attempts_per_second double precision`,
  },
  {
    sql: `-- Counts of events and attempts over time. An empty subscription stands for the organization.
      CREATE TABLE wabakit.figures (
        organization_id text COLLATE "C",
        subscription_id text COLLATE "C",
        at bigint,
        span integer, -- milliseconds
        counts json NOT NULL,
        PRIMARY KEY (organization_id, subscription_id, at, span)
      );
      CREATE INDEX figures_by_span ON wabakit.figures (span, at)`,
  },
]
