import type {
  ApiKeyRecord,
  AttemptRecord,
  CallRecord,
  CallSummaryRecord,
  DeliveryProgress,
  DeliveryRecord,
  EventRecord,
  FigureRecord,
  GroupRecord,
  OrganizationRecord,
  ParticipantRecord,
  SubscriptionRecord,
} from '@wabakit/core'

/** The kind of a column. A value of kind `names` is `'all'` or a list of names. */
export type Kind = 'text' | 'integer' | 'real' | 'flag' | 'json' | 'names'

type KindOf<Value> = [Value] extends [boolean]
  ? 'flag'
  : [Value] extends [number]
    ? 'integer' | 'real'
    : [Value] extends [string]
      ? 'text'
      : 'all' extends Value
        ? 'names'
        : 'json'

/** One column for each field of a record. A missing column, or one whose kind does not fit the field, is a compile error. */
export type Columns<Rec> = { readonly [Field in keyof Rec]-?: KindOf<NonNullable<Rec[Field]>> }

/** The mark of a removed summary: the SHA-256 of the call's id. */
type SummaryMark = { readonly organizationId: string; readonly hash: string }

/** The records of each table. The `deliveryId` of an attempt is derived from its delivery's key. */
export type StoredRecords = {
  readonly organizations: OrganizationRecord
  readonly apiKeys: ApiKeyRecord
  readonly groups: GroupRecord
  readonly participants: ParticipantRecord
  readonly calls: CallRecord
  readonly summaries: CallSummaryRecord
  readonly summaryMarks: SummaryMark
  readonly subscriptions: SubscriptionRecord
  readonly events: EventRecord
  readonly deliveries: DeliveryRecord
  readonly attempts: Omit<AttemptRecord, 'deliveryId'>
  readonly figures: FigureRecord
}

export type TableName = keyof StoredRecords

/** The columns of a delivery's progress. */
export const progressColumns: Columns<DeliveryProgress> = {
  attempts: 'integer',
  failures: 'integer',
  deferrals: 'integer',
  deferredMs: 'integer',
}

/** The other columns that a delivery's row keeps when it is finished. */
export const keptColumns = { webhookId: 'text' } as const satisfies Partial<Columns<DeliveryRecord>>

/**
 * The columns of all records. Reads, writes and migrations between engines follow from this list, so a new field needs
 * an entry here and a migration for each engine. Deliveries are an exception: statements join their record from
 * several tables, and name its columns, except those above. CONTRIBUTING.md lists them ("Add a field of deliveries").
 */
export const columns: { readonly [Table in TableName]: Columns<StoredRecords[Table]> } = {
  organizations: {
    id: 'text',
    revision: 'integer',
    callSummaries: 'text',
    integrations: 'json',
    pstnNumbers: 'json',
    createdAt: 'integer',
  },
  apiKeys: {
    id: 'text',
    organizationId: 'text',
    hash: 'text',
    label: 'text',
    wabaNumbers: 'names',
    createdAt: 'integer',
  },
  groups: {
    organizationId: 'text',
    clientCustomGroupId: 'text',
    requestHash: 'text',
    wabaNumber: 'text',
    digits: 'text',
    subject: 'text',
    description: 'text',
    joinApprovalMode: 'text',
    inviteLink: 'text',
    createdAt: 'integer',
  },
  participants: {
    organizationId: 'text',
    groupId: 'text',
    phone: 'text',
    digits: 'text',
    revision: 'integer',
    state: 'text',
    changedAt: 'integer',
  },
  calls: {
    organizationId: 'text',
    callId: 'text',
    revision: 'integer',
    state: 'text',
    channel: 'text',
    direction: 'text',
    channelNumber: 'text',
    digits: 'text',
    customerNumber: 'text',
    agentNumber: 'text',
    callType: 'text',
    triggeredVia: 'text',
    publishesEvents: 'flag',
    initiatedAt: 'integer',
    updatedAt: 'integer',
    startedAt: 'integer',
    endedAt: 'integer',
    durationInSeconds: 'real',
    recorded: 'flag',
    spoken: 'flag',
  },
  summaries: {
    organizationId: 'text',
    callId: 'text',
    summary: 'json',
    generatedBy: 'text',
    generatedAt: 'integer',
  },
  summaryMarks: { organizationId: 'text', hash: 'text' },
  subscriptions: {
    id: 'text',
    organizationId: 'text',
    revision: 'integer',
    channel: 'text',
    number: 'text',
    digits: 'text',
    url: 'text',
    events: 'names',
    secret: 'text',
    previousSecret: 'json',
    headers: 'json',
    maxAttemptsPerSecond: 'real',
    disabledReason: 'text',
    failingSince: 'integer',
    isReported: 'flag',
    createdAt: 'integer',
    updatedAt: 'integer',
  },
  events: {
    id: 'text',
    organizationId: 'text',
    name: 'text',
    subject: 'text',
    channel: 'text',
    digits: 'text',
    payload: 'text',
    waitsFor: 'text',
    traceparent: 'text',
    hasCustomPayload: 'flag',
    occurredAt: 'integer',
  },
  deliveries: {
    id: 'text',
    organizationId: 'text',
    subscriptionId: 'text',
    eventId: 'text',
    eventName: 'text',
    subject: 'text',
    ...keptColumns,
    status: 'text',
    dueAt: 'integer',
    ...progressColumns,
    createdAt: 'integer',
    finishedAt: 'integer',
  },
  attempts: {
    number: 'integer',
    startedAt: 'integer',
    durationMs: 'real',
    url: 'text',
    status: 'integer',
    error: 'text',
    responseBody: 'text',
    succeeded: 'flag',
    deferred: 'flag',
  },
  figures: {
    organizationId: 'text',
    subscriptionId: 'text',
    at: 'integer',
    span: 'integer',
    counts: 'json',
  },
}

/** Returns the name of a field's column in PostgreSQL. */
export const toSnakeCase = (field: string): string =>
  field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
