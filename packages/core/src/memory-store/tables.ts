import type {
  ApiKeyRecord,
  AttemptRecord,
  CallRecord,
  CallSummaryRecord,
  DeliveryRecord,
  DeliveryStatus,
  EventRecord,
  GroupRecord,
  OrganizationRecord,
  ParticipantRecord,
  SubscriptionRecord,
} from '../records.ts'
import type { LaneState } from '../storage/decide-settlement.ts'
import type { Pace } from '../store.ts'

/** An event and its position in the order of all rows. */
export type EventRow = {
  readonly order: number
  readonly event: EventRecord
}

/** A delivery. */
export type DeliveryRow = {
  readonly order: number
  /** Its place in its queue. */
  readonly position: number
  readonly event: EventRecord
  readonly owner: SubscriptionRow
  state: LaneState | 'delivered' | 'exhausted' | 'skipped'
  /** Meaningful only while the delivery is unfinished. */
  dueAt: number
  turn: number
  webhookId: string
  failures: number
  deferrals: number
  deferredMs: number
  finishedAt: number | null
  readonly attempts: AttemptRecord[]
}

/** A subscription with its unfinished deliveries. */
export type SubscriptionRow = {
  readonly order: number
  record: SubscriptionRecord
  pace: Pace
  /** The order of the last change other than a new delivery. */
  changedAt: number
  /** The unfinished deliveries of each subject, by position. */
  readonly lanes: Map<string, DeliveryRow[]>
  /** Deliveries that had never been attempted when they were added, by position. Some may have been attempted since. */
  fresh: DeliveryRow[]
  /** Deliveries that were attempted. */
  readonly retries: Set<DeliveryRow>
}

/** The records of one organization. */
export type OrganizationTables = {
  readonly order: number
  organization: OrganizationRecord
  readonly keys: Map<string, ApiKeyRecord>
  readonly groups: Map<string, GroupRecord>
  /** By group id, then by digits. */
  readonly participants: Map<string, Map<string, ParticipantRecord>>
  readonly calls: Map<string, CallRecord>
  readonly summaries: Map<string, CallSummaryRecord>
  /** SHA-256 of the ids of calls whose summary was removed. */
  readonly summaryMarks: Set<string>
  readonly subscriptions: Map<string, SubscriptionRow>
  /** In the order in which they happened. */
  events: EventRow[]
  /** In the order of their events. */
  deliveries: DeliveryRow[]
}

export const createTables = (organization: OrganizationRecord, order: number): OrganizationTables => ({
  order,
  organization,
  keys: new Map(),
  groups: new Map(),
  participants: new Map(),
  calls: new Map(),
  summaries: new Map(),
  summaryMarks: new Set(),
  subscriptions: new Map(),
  events: [],
  deliveries: [],
})

export const getDeliveryId = ({ order }: DeliveryRow): string => `dlv_${order}`

export const isUnfinished = ({ state }: DeliveryRow): boolean =>
  state === 'fresh' || state === 'started' || state === 'passable'

/** Returns the head of a lane, if it has one. */
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
    attempts: row.attempts.length,
    failures: row.failures,
    deferrals: row.deferrals,
    deferredMs: row.deferredMs,
    createdAt: row.event.occurredAt,
    finishedAt: row.finishedAt,
  }
}
