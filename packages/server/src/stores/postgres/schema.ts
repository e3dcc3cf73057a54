/**
 * The tables, and the functions that their triggers and all versions of the other functions need. `position` is the order
 * in which rows were added. Times are Unix time in milliseconds. There are no foreign keys: the functions that write
 * maintain the references, under locks that cost less.
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
  emits_events boolean NOT NULL,
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

-- What stays of a summary that is removed: the SHA-256 of the call's id.
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
  pace text NOT NULL DEFAULT 'new' CHECK (pace IN ('new', 'failing', 'slow', 'quick')),
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  UNIQUE (organization_id, id)
);
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

CREATE TABLE wabakit.deliveries (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- internal: the id consists of the event and the subscription
  organization_id text COLLATE "C" NOT NULL,
  subscription bigint NOT NULL, -- its position
  event bigint NOT NULL, -- its position
  event_name text NOT NULL,
  subject text COLLATE "C" NOT NULL,
  webhook_id text, -- null: the event's id
  status text COLLATE "C" NOT NULL
    CHECK (status IN ('waiting', 'pending', 'claimed', 'delivered', 'exhausted', 'skipped')),
  holds_lane boolean NOT NULL,
  due_at bigint,
  claim_id text,
  worker integer, -- the number of the worker that claimed it; null: the claim relies on its lease alone
  attempts integer NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  deferrals integer NOT NULL DEFAULT 0,
  deferred_ms bigint NOT NULL DEFAULT 0,
  finished_at bigint,
  UNIQUE (subscription, event),
  CHECK ((due_at IS NOT NULL) = (status IN ('pending', 'claimed'))),
  CHECK ((finished_at IS NOT NULL) = (status IN ('delivered', 'exhausted', 'skipped'))),
  CHECK (due_at IS NOT NULL OR NOT holds_lane)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
CREATE INDEX deliveries_of_organization ON wabakit.deliveries (organization_id, event, subscription);
CREATE INDEX deliveries_undelivered ON wabakit.deliveries (organization_id, event, subscription) WHERE status <> 'delivered';
CREATE INDEX deliveries_failed ON wabakit.deliveries (organization_id, event, subscription)
  WHERE status IN ('exhausted', 'skipped');
CREATE INDEX deliveries_due ON wabakit.deliveries (subscription, status, due_at, event) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_waiting ON wabakit.deliveries (subscription, subject, event) WHERE status = 'waiting';
CREATE INDEX deliveries_finished ON wabakit.deliveries (finished_at) WHERE finished_at IS NOT NULL;
-- A lane has at most one holder.
CREATE UNIQUE INDEX deliveries_holding ON wabakit.deliveries (subscription, subject) WHERE holds_lane;
CREATE INDEX deliveries_passable ON wabakit.deliveries (subscription, subject) WHERE due_at IS NOT NULL AND NOT holds_lane;

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

CREATE TABLE wabakit.workers (
  number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  lost_at bigint -- when another worker noticed that its session is over; null before that
);

-- A bucket is stored as the time at which it will be full (the generic cell rate algorithm, ITU-T I.371), and a bucket
-- without a row is full. Therefore the table needs no write-ahead log: a crash only refills the buckets.
CREATE UNLOGGED TABLE wabakit.token_buckets (
  key text COLLATE "C" PRIMARY KEY,
  full_at double precision NOT NULL
);`

/** Returns the statement that adds due times. It is in two functions, since a call between them costs as much as itself. */
const addDueTimes = (source: string): string => /* sql */ `
  INSERT INTO wabakit.due_times
  SELECT added.subscription, added.due_at, hashtext(s.organization_id), wabakit.share_of(s.pace)
  FROM ${source}
  CROSS JOIN LATERAL (
    SELECT s.organization_id, s.pace FROM wabakit.subscriptions s WHERE s.position = added.subscription OFFSET 0
  ) AS s
  WHERE added.due_at IS NOT NULL AND NOT EXISTS (
    SELECT FROM wabakit.due_times t WHERE t.subscription = added.subscription AND t.due_at <= added.due_at OFFSET 0
  );`

/**
 * The due times lead a claim to the subscriptions that have something due. Each that has something pending or claimed has at
 * least one row, and the earliest is never later than what is due first. It may be too early, until a claim checks. So a
 * claim reads the subscriptions that have something due, in their order, and none of the others; and however much one of
 * them has due, it is one row. A claim reads deliveries from that time on, too: those that were due before it and are
 * settled stay in the index until the next vacuum.
 *
 * Whoever makes something due adds a row, if there is none that is early enough. It changes none, so that nobody waits
 * for anybody. Rows are made later by claims alone, under the exclusive lock of the subscription, if it is free: under it
 * nobody is making something due.
 *
 * Each row has the share of claims that its subscription belongs to, so that a claim reads no more than a part of them.
 * If the pace changes while a row is being added, the row can have the former share until a claim makes it later.
 *
 * A suspect subscription has a limited number of claims, one if it is new or failing. While they are under lease, its row can
 * be as late as the first lease: whoever settles a claim adds an earlier one.
 */
const dueTimes = /* sql */ `
CREATE TABLE wabakit.due_times (
  subscription bigint NOT NULL, -- its position
  due_at bigint NOT NULL,
  organization integer NOT NULL, -- a hash of its id
  share integer NOT NULL -- see share_of
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
CREATE INDEX due_times_by_time ON wabakit.due_times (share, due_at, subscription, organization);
CREATE INDEX due_times_of_organization ON wabakit.due_times (share, organization, subscription, due_at);
CREATE INDEX due_times_of_subscription ON wabakit.due_times (subscription, due_at);

CREATE FUNCTION wabakit.share_of(p_pace text) RETURNS integer LANGUAGE sql IMMUTABLE
RETURN CASE p_pace WHEN 'quick' THEN 1 WHEN 'failing' THEN 3 ELSE 2 END;

-- Adds rows for subscriptions that have none as early as the given times. Where the time is null, nothing is due.
CREATE FUNCTION wabakit.add_due_times(p_subscriptions bigint[], p_times bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  ${addDueTimes('unnest(p_subscriptions, p_times) AS added (subscription, due_at)')}
END $$;

CREATE FUNCTION wabakit.add_changed_due_times() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  ${addDueTimes('(SELECT c.subscription, min(c.due_at) AS due_at FROM changed c GROUP BY 1) AS added')}
  RETURN NULL;
END $$;
CREATE TRIGGER add_inserted_due_times AFTER INSERT ON wabakit.deliveries
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION wabakit.add_changed_due_times();
CREATE TRIGGER add_updated_due_times AFTER UPDATE ON wabakit.deliveries
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION wabakit.add_changed_due_times();

CREATE FUNCTION wabakit.update_share() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE wabakit.due_times t SET share = wabakit.share_of(NEW.pace) WHERE t.subscription = NEW.position;
  RETURN NULL;
END $$;
CREATE TRIGGER update_share AFTER UPDATE ON wabakit.subscriptions FOR EACH ROW
  WHEN (wabakit.share_of(OLD.pace) <> wabakit.share_of(NEW.pace)) EXECUTE FUNCTION wabakit.update_share();
`

/** The clock of all processes, and the keys of their advisory locks. All versions must agree on them. */
const agreements = /* sql */ `
-- The clock of all processes, for due times and leases.
CREATE FUNCTION wabakit.clock_ms() RETURNS bigint LANGUAGE sql VOLATILE
RETURN floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;

CREATE FUNCTION wabakit.lock_key(p_kind text, p_name text) RETURNS bigint LANGUAGE sql IMMUTABLE
RETURN hashtextextended(p_kind || ' ' || p_name, 0);
`

/** A step of the schema. */
export type Migration = {
  readonly sql: string
  /**
   * Only of a step that contracts: how many steps a process must know to run afterwards. It is at most the number of the
   * step before, so that the previous version still runs.
   */
  readonly minimum?: number
}

/**
 * The steps from an empty database to the newest tables. A database of version n has had the first n. A released step never
 * changes. While a new version replaces the previous one, processes of both run on the tables of the new one: a step
 * expands the tables, and only a step with a `minimum` contracts them. `migration-rules.test.ts` checks this.
 */
export const migrations: readonly Migration[] = [{ sql: `${tables}${agreements}${dueTimes}` }]
