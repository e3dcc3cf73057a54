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
import type { Pace } from '../store.ts'
import type { DueQueue, Queued } from './due-queue.ts'

/** An event and its place among all. */
export type EventRow = {
  readonly order: number
  readonly event: EventRecord
}

/** A delivery. `at` is its due time, the end of its lease, or 0 while it waits. */
export type DeliveryRow = Queued & {
  readonly event: EventRecord
  readonly owner: SubscriptionRow
  /** Where it waits for its turn, while it is unsettled. */
  lane: Lane | undefined
  webhookId: string
  status: DeliveryStatus
  claimId: string | undefined
  failures: number
  finishedAt: number | null
  readonly attempts: AttemptRecord[]
}

/** The unsettled deliveries of one subscription and one subject. */
export type Lane = {
  readonly subject: string
  /** The one that holds the others back. */
  holder: DeliveryRow | undefined
  waiting: DueQueue<DeliveryRow> | undefined
  readonly unsettled: Set<DeliveryRow>
}

/** A subscription with its lanes. `at` is when it has something to claim next. */
export type SubscriptionRow = Queued & {
  record: SubscriptionRecord
  pace: Pace
  readonly lanes: Map<string, Lane>
  readonly pending: DueQueue<DeliveryRow>
  readonly leased: DueQueue<DeliveryRow>
}

/** Everything of one organization. */
export type OrganizationTables = {
  readonly order: number
  organization: OrganizationRecord
  readonly keys: Map<string, ApiKeyRecord>
  readonly groups: Map<string, GroupRecord>
  /** By group id, then by digits. */
  readonly participants: Map<string, Map<string, ParticipantRecord>>
  readonly calls: Map<string, CallRecord>
  readonly summaries: Map<string, CallSummaryRecord>
  readonly subscriptions: Map<string, SubscriptionRow>
  /** In the order they happened. */
  events: EventRow[]
  /** In the order of their events. */
  deliveries: DeliveryRow[]
}

/** Empty tables of an organization. */
export const createTables = (organization: OrganizationRecord, order: number): OrganizationTables => ({
  order,
  organization,
  keys: new Map(),
  groups: new Map(),
  participants: new Map(),
  calls: new Map(),
  summaries: new Map(),
  subscriptions: new Map(),
  events: [],
  deliveries: [],
})

/** The id by which a delivery is known. */
export const deliveryId = ({ order }: DeliveryRow): string => `dlv_${order}`

const hasTime = (status: DeliveryStatus): boolean => status === 'pending' || status === 'claimed'

/** A delivery as it is shown. */
export const toDeliveryRecord = (row: DeliveryRow): DeliveryRecord => ({
  id: deliveryId(row),
  organizationId: row.event.organizationId,
  subscriptionId: row.owner.record.id,
  eventId: row.event.id,
  eventName: row.event.name,
  subject: row.event.subject,
  webhookId: row.webhookId,
  status: row.status,
  dueAt: hasTime(row.status) ? row.at : null,
  attempts: row.attempts.length,
  failures: row.failures,
  createdAt: row.event.occurredAt,
  finishedAt: row.finishedAt,
})
