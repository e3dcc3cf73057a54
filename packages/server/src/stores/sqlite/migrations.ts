/**
 * The SQL expression for the digits of a customer's number, used by an index. The core has checked that there are no
 * other characters to remove.
 */
export const customerDigits = ['+', ' ', '.', '-', '('].reduce(
  (text, ignored) => `replace(${text}, '${ignored}', '')`,
  `replace(customerNumber, ')', '')`,
)

/**
 * The schema in steps. In a database of version n, the first n steps have been applied. A released step never changes.
 * Columns are named like the records' fields; `position` is a row's position in its table.
 */
export const migrations: readonly string[] = [
  `
  create table organizations (
    position integer primary key autoincrement,
    id text not null unique,
    revision integer not null,
    callSummaries text not null,
    integrations text not null, -- JSON
    pstnNumbers text not null, -- JSON
    createdAt integer not null
  ) strict;
  -- Organizations and subscriptions with a revision of -1 are removed. What they own is removed in small transactions.
  create index removedOrganizations on organizations (revision) where revision < 0;

  create table apiKeys (
    position integer primary key autoincrement,
    id text not null,
    organizationId text not null references organizations (id) on delete cascade,
    hash text not null unique,
    label text not null,
    wabaNumbers text not null, -- JSON
    createdAt integer not null
  ) strict;
  create index apiKeysByOrganization on apiKeys (organizationId);

  create table groups (
    organizationId text not null references organizations (id) on delete cascade,
    clientCustomGroupId text not null,
    requestHash text,
    wabaNumber text not null,
    digits text not null,
    subject text not null,
    description text,
    joinApprovalMode text not null,
    inviteLink text,
    createdAt integer not null,
    activeAt integer, -- the last step of a participant; null if there was none
    primary key (organizationId, clientCustomGroupId)
  ) strict, without rowid;
  create index groupsByActivity on groups (coalesce(activeAt, createdAt));
  create index groupsByCreation on groups (organizationId, createdAt, clientCustomGroupId);

  create table participants (
    organizationId text not null references organizations (id) on delete cascade,
    groupId text not null,
    phone text not null,
    digits text not null,
    revision integer not null,
    state text not null,
    changedAt integer not null,
    primary key (organizationId, groupId, digits)
  ) strict, without rowid;
  create index participantsByNumber on participants (organizationId, digits);
  create index formerParticipants on participants (changedAt) where state <> 'joined';
  create trigger participantAdded after insert on participants begin
    update groups set activeAt = max(coalesce(activeAt, createdAt), new.changedAt)
    where organizationId = new.organizationId and clientCustomGroupId = new.groupId;
  end;
  create trigger participantChanged after update on participants begin
    update groups set activeAt = max(coalesce(activeAt, createdAt), new.changedAt)
    where organizationId = new.organizationId and clientCustomGroupId = new.groupId;
  end;

  create table calls (
    organizationId text not null references organizations (id) on delete cascade,
    callId text not null,
    revision integer not null,
    state text not null,
    channel text not null,
    direction text not null,
    channelNumber text not null,
    digits text not null,
    customerNumber text not null,
    agentNumber text,
    callType text not null,
    triggeredVia text not null,
    publishesEvents integer not null, -- 0 or 1, like all flags
    initiatedAt integer not null,
    updatedAt integer not null,
    startedAt integer,
    endedAt integer,
    durationInSeconds real,
    recorded integer,
    spoken integer,
    primary key (organizationId, callId)
  ) strict, without rowid;
  create index callsByChange on calls (updatedAt);
  create index callsOfOrganization on calls (organizationId, initiatedAt, callId);
  create index callsByCustomer on calls (organizationId, ${customerDigits}, initiatedAt, callId);

  -- A row here, or in summaryMarks, prevents a second CALL_AI_SUMMARY event of the call.
  create table summaries (
    organizationId text not null references organizations (id) on delete cascade,
    callId text not null,
    summary text not null, -- JSON
    generatedBy text not null,
    generatedAt integer not null,
    primary key (organizationId, callId)
  ) strict, without rowid;

  create table events (
    position integer primary key autoincrement,
    id text not null unique,
    organizationId text not null references organizations (id) on delete cascade,
    name text not null,
    subject text not null,
    channel text not null,
    digits text not null,
    payload text not null,
    waitsFor text,
    traceparent text,
    occurredAt integer not null,
    deliveries integer not null -- their number
  ) strict;
  create index eventsByOrganization on events (organizationId, position);
  create index eventsBySubject on events (organizationId, subject, position);
  create index eventsWithoutDelivery on events (occurredAt) where deliveries = 0;

  create table subscriptions (
    position integer primary key autoincrement,
    id text not null,
    organizationId text not null references organizations (id) on delete cascade,
    revision integer not null,
    channel text not null,
    number text not null,
    digits text not null,
    url text not null,
    events text not null, -- JSON
    secret text not null,
    previousSecret text, -- JSON
    headers text not null default '{}', -- JSON
    disabledReason text,
    failingSince integer,
    isReported integer not null default 0,
    pace text not null default 'new', -- how its endpoint responded the last time
    createdAt integer not null,
    updatedAt integer not null,
    unique (organizationId, id)
  ) strict;
  create index subscriptionsByOrganization on subscriptions (organizationId);
  create index subscriptionsByNumber on subscriptions (organizationId, channel, digits);
  -- Failing and disabled subscriptions, for the metrics.
  create index troubledSubscriptions on subscriptions (disabledReason)
    where failingSince is not null or disabledReason is not null;
  create index removedSubscriptions on subscriptions (revision) where revision < 0;

  create table deliveries (
    event integer not null references events (position) on delete cascade,
    subscription integer not null references subscriptions (position) on delete cascade,
    organizationId text not null,
    subject text not null,
    waitsFor text, -- the event's
    webhookId text, -- null: the event's id
    state text not null, -- fresh, started or passable while unfinished; then delivered, exhausted or skipped
    version integer not null default 0,
    dueAt integer, -- while unfinished
    attempts integer not null default 0,
    failures integer not null default 0,
    deferrals integer not null default 0,
    deferredMs integer not null default 0,
    finishedAt integer,
    primary key (event, subscription)
  ) strict, without rowid;
  create index lanes on deliveries (subscription, subject, state, event, finishedAt) where finishedAt is null;
  create index freshDeliveries on deliveries (subscription, event) where state = 'fresh';
  create index retries on deliveries (subscription, dueAt, event, state) where state in ('started', 'passable');
  create index finishedDeliveries on deliveries (finishedAt) where finishedAt is not null;
  create index deliveriesBySubscription on deliveries (subscription, event);
  create index undelivered on deliveries (organizationId, event) where state <> 'delivered';
  create index failed on deliveries (organizationId, event) where state in ('exhausted', 'skipped');
  create trigger deliveryRemoved after delete on deliveries begin
    update events set deliveries = deliveries - 1 where position = old.event;
  end;

  create table attempts (
    event integer not null,
    subscription integer not null,
    number integer not null,
    startedAt integer not null,
    durationMs real not null,
    url text not null,
    status integer,
    error text,
    responseBody text,
    succeeded integer not null,
    deferred integer not null,
    primary key (event, subscription, number),
    foreign key (event, subscription) references deliveries (event, subscription) on delete cascade
  ) strict, without rowid;

  -- What remains of a removed summary: the SHA-256 of the call's id.
  create table summaryMarks (
    organizationId text not null references organizations (id) on delete cascade,
    hash text not null,
    primary key (organizationId, hash)
  ) strict, without rowid;

  -- Who may write, see owner.ts.
  create table owner (id integer primary key check (id = 1), token text not null) strict;

  -- What the two clocks of the last server showed at one moment, see continued-clock.ts.
  create table clock (id integer primary key check (id = 1), service integer not null, wall integer not null) strict;
  `,
  `alter table events add column hasCustomPayload integer not null default 0;
   alter table subscriptions add column maxAttemptsPerSecond real;`,
  `
  -- Counts of events and attempts over time. An empty subscription stands for the organization.
  create table figures (
    organizationId text not null references organizations (id) on delete cascade,
    subscriptionId text not null,
    at integer not null,
    span integer not null, -- milliseconds
    counts text not null, -- JSON
    primary key (organizationId, subscriptionId, at, span)
  ) strict, without rowid;
  create index figuresBySpan on figures (span, at);
  `,
]
