/** A table, and how SQLite says what PostgreSQL keeps in it. */
export type CopiedTable = {
  /** Its name in PostgreSQL. */
  readonly name: string
  /** Where SQLite reads it from. */
  readonly from: string
  /** What orders its rows in SQLite by an index and tells each from the others. */
  readonly key: readonly string[]
  /**
   * Each column in PostgreSQL, except those that it numbers itself, with what it is in SQLite: an expression that
   * `json_object` turns into what `row_to_json` gives there.
   */
  readonly columns: Readonly<Record<string, string>>
}

const camelCase = (name: string): string => name.replace(/_./g, ([, letter = '']) => letter.toUpperCase())

/** Columns that are in SQLite what they are in PostgreSQL, under a name of its style. */
const same = (...names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, camelCase(name)]))

const flag = (column: string): string => `json(case ${column} when 1 then 'true' when 0 then 'false' end)`

/** PostgreSQL keeps `all` as null. */
const allOrSome = (column: string): string => `json(nullif(${column}, '"all"'))`

/** What becomes of a claim: the lock on the file says that its server is gone, as in `takeOver`. */
const unlessClaimed = (released: string, column: string): string =>
  `iif(d.status = 'claimed', ${released}, d.${column})`

/** All tables, in the order in which they are copied. */
export const copiedTables: readonly CopiedTable[] = [
  {
    name: 'organizations',
    from: 'organizations',
    key: ['seq'],
    columns: {
      ...same('id'),
      position: 'seq',
      ...same('revision', 'call_summaries'),
      integrations: 'json(integrations)',
      pstn_numbers: 'json(pstnNumbers)',
      ...same('created_at'),
    },
  },
  {
    name: 'api_keys',
    from: 'apiKeys',
    key: ['seq'],
    columns: {
      ...same('hash'),
      position: 'seq',
      ...same('id', 'organization_id', 'label'),
      waba_numbers: allOrSome('wabaNumbers'),
      ...same('created_at'),
    },
  },
  {
    name: 'groups',
    from: 'groups',
    key: ['organizationId', 'clientCustomGroupId'],
    columns: same(
      ...['organization_id', 'client_custom_group_id', 'request_hash', 'waba_number', 'digits', 'subject'],
      ...['description', 'join_approval_mode', 'invite_link', 'created_at'],
    ),
  },
  {
    name: 'participants',
    from: 'participants',
    key: ['organizationId', 'groupId', 'digits'],
    columns: same('organization_id', 'group_id', 'digits', 'phone', 'revision', 'state', 'changed_at'),
  },
  {
    name: 'calls',
    from: 'calls',
    key: ['organizationId', 'callId'],
    columns: {
      ...same('organization_id', 'call_id', 'revision', 'state', 'channel', 'direction', 'channel_number'),
      ...same('digits', 'customer_number', 'agent_number', 'call_type', 'triggered_via'),
      emits_events: flag('emitsEvents'),
      ...same('initiated_at', 'started_at', 'ended_at', 'duration_in_seconds'),
      recorded: flag('recorded'),
      spoken: flag('spoken'),
    },
  },
  {
    name: 'summaries',
    from: 'summaries',
    key: ['organizationId', 'callId'],
    columns: {
      ...same('organization_id', 'call_id'),
      summary: 'json(summary)',
      ...same('generated_by', 'generated_at'),
    },
  },
  {
    name: 'subscriptions',
    from: 'subscriptions',
    key: ['seq'],
    columns: {
      position: 'seq',
      ...same('id', 'organization_id', 'revision', 'channel', 'number', 'digits', 'url'),
      events: allOrSome('events'),
      secret: 'secret',
      previous_secret: 'json(previousSecret)',
      ...same('disabled_reason', 'failing_since', 'pace', 'created_at', 'updated_at'),
    },
  },
  {
    name: 'events',
    from: 'events',
    key: ['seq'],
    columns: {
      position: 'seq',
      ...same('id', 'organization_id', 'name', 'subject', 'channel', 'digits', 'payload', 'waits_for'),
      ...same('occurred_at'),
    },
  },
  {
    name: 'deliveries',
    from: 'deliveries d join events e on e.seq = d.event',
    key: ['d.event', 'd.subscription'],
    columns: {
      organization_id: 'd.organizationId',
      subscription: 'd.subscription',
      event: 'd.event',
      event_name: 'e.name',
      subject: 'd.subject',
      webhook_id: 'd.webhookId',
      status: unlessClaimed(`'pending'`, 'status'),
      holds_lane: flag(`(d.place is 'holding')`),
      due_at: unlessClaimed('d.createdAt', 'dueAt'),
      claim_id: 'null',
      worker: 'null',
      attempts: 'd.attempts',
      failures: 'd.failures',
      finished_at: 'd.finishedAt',
    },
  },
  {
    name: 'attempts',
    from: 'attempts',
    key: ['event', 'subscription', 'number'],
    columns: {
      ...same(
        'subscription',
        'event',
        'number',
        'started_at',
        'duration_ms',
        'url',
        'status',
        'error',
        'response_body',
      ),
      succeeded: flag('succeeded'),
    },
  },
]
