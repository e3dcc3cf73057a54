import { RecordNotFoundError } from '../errors/record-errors.ts'
import type {
  ApiKeyRecord,
  AttemptRecord,
  CallRecord,
  CallSummaryRecord,
  DeliveryProgress,
  DeliveryRecord,
  DeliveryStatus,
  EventRecord,
  FigureRecord,
  GroupRecord,
  OrganizationRecord,
  ParticipantRecord,
  SubscriptionRecord,
} from '../records.ts'
import type { SettledDelivery } from '../storage/decide-settlement.ts'
import type { Pace } from '../store.ts'

/** An event and its position in the order of all rows. */
export type EventRow = { readonly order: number; readonly event: EventRecord }

export type DeliveryRow = {
  readonly order: number
  /** Its place in its queue. */
  readonly position: number
  readonly event: EventRecord
  readonly owner: SubscriptionRow
  state: SettledDelivery['state']
  /** Used only while the delivery is unfinished. */
  dueAt: number
  version: number
  webhookId: string
  progress: DeliveryProgress
  finishedAt: number | null
  readonly attempts: AttemptRecord[]
}

/** Creates the row of a subscription, which also holds its unfinished deliveries. */
export const createSubscription = (record: SubscriptionRecord, order: number) => ({
  order,
  record,
  pace: 'new' as Pace,
  /** The order of the last change other than a new delivery, or a settlement that does not disable the subscription. */
  changedAt: order,
  /** The unfinished deliveries of each subject, by position. */
  lanes: new Map<string, DeliveryRow[]>(),
  /** Deliveries that were `fresh` when they were added, by position. The state of some may have changed since. */
  fresh: [] as DeliveryRow[],
  /** Unfinished deliveries that were attempted. */
  retries: new Set<DeliveryRow>(),
})

export type SubscriptionRow = ReturnType<typeof createSubscription>

export const createTables = (organization: OrganizationRecord, order: number) => ({
  order,
  organization,
  keys: new Map<string, ApiKeyRecord>(),
  groups: new Map<string, GroupRecord>(),
  /** The participants of each group, keyed by their digits. */
  participants: new Map<string, Map<string, ParticipantRecord>>(),
  calls: new Map<string, CallRecord>(),
  summaries: new Map<string, CallSummaryRecord>(),
  /** SHA-256 of the ids of calls whose summary was removed. */
  summaryMarks: new Set<string>(),
  subscriptions: new Map<string, SubscriptionRow>(),
  /** The events in the order in which they were published. */
  events: [] as EventRow[],
  /** The deliveries in the order of their events. */
  deliveries: [] as DeliveryRow[],
  /** Counts over time, by subscription and period. */
  figures: new Map<string, FigureRecord>(),
})

export type OrganizationTables = ReturnType<typeof createTables>

/** The contents of a database, without what can be derived from them, such as `keyOwners`. */
export type Contents = {
  readonly organizations: Map<string, OrganizationTables>
  /** All subscriptions, by queue. */
  readonly queues: Map<string, SubscriptionRow>
  /** All events, by id. */
  readonly events: Map<string, EventRow>
  /** All deliveries, by id. */
  readonly deliveries: Map<string, DeliveryRow>
}

const createContents = (): Contents => ({
  organizations: new Map(),
  queues: new Map(),
  events: new Map(),
  deliveries: new Map(),
})

export const createDatabase = (contents: Contents = createContents()) => {
  const { organizations } = contents
  let order = 0
  return {
    ...contents,
    /** Throws if there is no such organization. */
    getTables: (organizationId: string): OrganizationTables => {
      const tables = organizations.get(organizationId)
      if (tables === undefined) throw new RecordNotFoundError('organization', organizationId)
      return tables
    },
    /** The organization of each key, by the key's hash. */
    keyOwners: new Map<string, OrganizationTables>(),
    /** Returns the next number in the order of all changes. */
    nextOrder: (): number => ++order,
  }
}

export type Database = ReturnType<typeof createDatabase>

export const getQueue = ({ order }: SubscriptionRow): string => String(order)

export const getDeliveryId = ({ order }: DeliveryRow): string => `dlv_${order}`

export const isUnfinished = ({ state }: DeliveryRow): boolean =>
  state === 'fresh' || state === 'started' || state === 'passable'

export const findHead = ({ lanes }: SubscriptionRow, subject: string): DeliveryRow | undefined => {
  const lane = lanes.get(subject) ?? []
  const index = lane.findIndex(({ state }) => state === 'fresh')
  const head = lane[index]
  const isBlocked = lane
    .slice(0, Math.max(0, index))
    .some(({ state, event }) => state === 'started' || event.name === head?.event.waitsFor)
  return isBlocked ? undefined : head
}

/** Returns the status of a delivery. The store does not know whether it is being attempted. */
export const getStatus = (row: DeliveryRow): DeliveryStatus => {
  const { state, owner, event } = row
  if (state === 'started' || state === 'passable') return 'pending'
  if (state === 'fresh') return findHead(owner, event.subject) === row ? 'pending' : 'waiting'
  return state
}

export const toDeliveryRecord = (row: DeliveryRow): DeliveryRecord => {
  const status = getStatus(row)
  return {
    id: getDeliveryId(row),
    organizationId: row.event.organizationId,
    subscriptionId: row.owner.record.id,
    eventId: row.event.id,
    eventName: row.event.name,
    subject: row.event.subject,
    webhookId: row.webhookId,
    status,
    dueAt: status === 'pending' ? row.dueAt : null,
    ...row.progress,
    createdAt: row.event.occurredAt,
    finishedAt: row.finishedAt,
  }
}
