/**
 * Tables. `position` is the order in which rows were added. Times are Unix time in milliseconds. There are no foreign keys:
 * the functions that write maintain the references, under locks that cost less.
 */
export const tables = /* sql */ `
CREATE TABLE wabakit.organizations (
  id text COLLATE "C" PRIMARY KEY,
  position bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  revision integer NOT NULL,
  call_summaries text NOT NULL,
  integrations json NOT NULL,
  pstn_numbers json NOT NULL,
  created_at bigint NOT NULL
);

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
  PRIMARY KEY (organization_id, client_custom_group_id)
);

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
  started_at bigint,
  ended_at bigint,
  duration_in_seconds double precision,
  recorded boolean,
  spoken boolean,
  PRIMARY KEY (organization_id, call_id)
);

-- A row here prevents a second CALL_AI_SUMMARY event of the call, so rows stay as long as their organization.
CREATE TABLE wabakit.summaries (
  organization_id text COLLATE "C",
  call_id text COLLATE "C",
  summary json NOT NULL,
  generated_by text NOT NULL,
  generated_at bigint NOT NULL,
  PRIMARY KEY (organization_id, call_id)
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
  disabled_reason text,
  failing_since bigint,
  pace text NOT NULL DEFAULT 'new' CHECK (pace IN ('new', 'failing', 'slow', 'quick')),
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  UNIQUE (organization_id, id)
);
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
  PRIMARY KEY (subscription, event, number)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);
`
