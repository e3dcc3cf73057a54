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
import { createHeap, type Heap, type HeapItem } from '../storage/heap.ts'
import type { Pace } from '../store.ts'

/** An item of a {@link DueQueue}. */
export type Queued = HeapItem & {
  /** When it is due. */
  at: number
  /** Decides between items that are due at the same moment. */
  readonly order: number
}

/** A queue with the earliest item first. */
export type DueQueue<Item extends Queued> = Heap<Item>

const isBefore = (left: Queued, right: Queued): boolean =>
  left.at < right.at || (left.at === right.at && left.order < right.order)

export const createDueQueue = <Item extends Queued>(): DueQueue<Item> => createHeap<Item>(isBefore)

/** An event and its position in the order of all rows. */
export type EventRow = {
  readonly order: number
  readonly event: EventRecord
}

/** A delivery. `at` is its due time, the end of its lease, or 0 while it is `waiting`. */
export type DeliveryRow = Queued & {
  readonly event: EventRecord
  readonly owner: SubscriptionRow
  /** Its lane, while it is unfinished. */
  lane: Lane | undefined
  webhookId: string
  status: DeliveryStatus
  claimId: string | undefined
  failures: number
  deferrals: number
  deferredMs: number
  finishedAt: number | null
  readonly attempts: AttemptRecord[]
}

/** The unfinished deliveries of one subscription and one subject. */
export type Lane = {
  readonly subject: string
  /** The delivery that blocks the others. */
  blocker: DeliveryRow | undefined
  waiting: DueQueue<DeliveryRow> | undefined
  readonly unfinished: Set<DeliveryRow>
}

/** A subscription with its lanes. `at` is the time at which a claim checks it again. */
export type SubscriptionRow = Queued & {
  record: SubscriptionRecord
  pace: Pace
  readonly lanes: Map<string, Lane>
  readonly pending: DueQueue<DeliveryRow>
  readonly leased: DueQueue<DeliveryRow>
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
  /** SHA-256 of the ids of calls whose summary is removed. */
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

const hasTime = (status: DeliveryStatus): boolean => status === 'pending' || status === 'claimed'

export const toDeliveryRecord = (row: DeliveryRow): DeliveryRecord => ({
  id: getDeliveryId(row),
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
  deferrals: row.deferrals,
  deferredMs: row.deferredMs,
  createdAt: row.event.occurredAt,
  finishedAt: row.finishedAt,
})
