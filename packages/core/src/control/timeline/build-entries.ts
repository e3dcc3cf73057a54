import type { LoggedRequest } from '../../hosting/request-log.ts'
import type {
  AttemptRecord,
  CallRecord,
  CallSummaryRecord,
  DeliveryRecord,
  EventRecord,
  GroupRecord,
} from '../../index.ts'
import { utc } from '../schemas.ts'
import { showAttempt } from '../views/delivery.ts'
import { showEvent } from '../views/event.ts'
import { showRequest } from '../views/request.ts'
import type { Mark, TimelineEntry } from '../views/timeline.ts'

export type Attempted = { readonly delivery: DeliveryRecord; readonly attempts: readonly AttemptRecord[] }

const findAcceptance = ({ attempts }: Attempted): AttemptRecord | undefined =>
  attempts.find(({ succeeded }) => succeeded)

/**
 * Returns the start time of the first successful attempt, or Infinity if there is none. Attempts in a lane seldom
 * overlap, so start times show their order well enough; end times are less exact.
 */
const getAcceptanceTime = (each: Attempted): number => findAcceptance(each)?.startedAt ?? Infinity

/**
 * Returns the marks of a delivery. `lane` contains the deliveries of the same subscription and subject, finished ones
 * included, in the order of their events.
 */
export const markDelivery = (each: Attempted, lane: readonly Attempted[]): Mark[] => {
  const own = findAcceptance(each)
  const acceptedAt = getAcceptanceTime(each)
  const index = lane.indexOf(each)
  const marks: Mark[] = []
  const passed = lane.slice(0, index).find((earlier) => getAcceptanceTime(earlier) > acceptedAt)
  if (passed !== undefined) {
    marks.push({
      kind: 'reordered',
      text: `Delivered before ${passed.delivery.eventName}, which is earlier.`,
    })
  }
  const later = lane.slice(index + 1).find((other) => getAcceptanceTime(other) < acceptedAt)
  if (later === undefined) return marks
  const name = later.delivery.eventName
  marks.push({ kind: 'overtaken', text: `${name}, which is later, was delivered first.` })
  if (own === undefined && each.delivery.finishedAt !== null) {
    marks.push({ kind: 'gap', text: `The endpoint never accepted this event, but ${name}.` })
  }
  return marks
}

/** Returns the marks of an attempt. The first successful attempt gets the marks about the delivery's order. */
export const markAttempt = (attempt: AttemptRecord, each: Attempted, ofDelivery: readonly Mark[]): Mark[] => {
  const accepted = findAcceptance(each)
  if (accepted === undefined || attempt.number < accepted.number) return []
  if (attempt === accepted)
    return ofDelivery.filter(({ kind }) => kind === 'reordered' || kind === 'overtaken')
  return [{ kind: 'duplicate', text: `The endpoint had accepted this event in attempt ${accepted.number}.` }]
}

type Subject = {
  readonly call: CallRecord | undefined
  readonly summary: CallSummaryRecord | undefined
  readonly group: GroupRecord | undefined
  readonly requests: readonly LoggedRequest[]
  readonly events: readonly EventRecord[]
}

type Marked = Attempted & { readonly marks: readonly Mark[] }

const none = { marks: [] as Mark[] }

type State = Extract<TimelineEntry, { kind: 'change' }>['state']

const listChanges = ({ call, summary, group }: Subject): TimelineEntry[] => {
  const changes: (readonly [State, number | null | undefined])[] = [
    ['created', group?.createdAt],
    ['initiated', call?.initiatedAt],
    // A call is missed or rejected by its last write. `updatedAt` comes from the service clock, and `initiatedAt` from
    // the wall clock, which may be ahead.
    ...(call?.state === 'missed' || call?.state === 'rejected'
      ? [[call.state, Math.max(call.initiatedAt, call.updatedAt)] as const]
      : []),
    ['accepted', call?.startedAt],
    ['ended', call?.endedAt],
    ['summarized', summary?.generatedAt],
  ]
  return changes.flatMap(([state, time]) =>
    typeof time === 'number' ? [{ kind: 'change', at: utc(time), state, ...none }] : [],
  )
}

const listRequests = (requests: readonly LoggedRequest[]): TimelineEntry[] =>
  requests.map((request) => {
    const marks: Mark[] = request.isRepeated
      ? [{ kind: 'duplicate', text: 'The same request created this group earlier.' }]
      : []
    return { kind: 'request', at: utc(request.startedAt), request: showRequest(request), marks }
  })

const listDelivery = (each: Marked): TimelineEntry[] => {
  const { delivery, attempts, marks } = each
  const { id: deliveryId, subscriptionId, eventId, eventName } = delivery
  const ofDelivery = { deliveryId, subscriptionId, eventId, eventName }
  const entries = attempts.map(
    (attempt): TimelineEntry => ({
      kind: 'attempt',
      at: utc(attempt.startedAt),
      ...ofDelivery,
      attempt: showAttempt(attempt, delivery),
      marks: markAttempt(attempt, each, marks),
    }),
  )
  const { status, dueAt, finishedAt } = delivery
  if (finishedAt !== null && (status === 'delivered' || status === 'exhausted' || status === 'skipped')) {
    const gaps = marks.filter(({ kind }) => kind === 'gap')
    entries.push({ kind: 'finished', at: utc(finishedAt), ...ofDelivery, status, marks: gaps })
  }
  if (status === 'pending' && dueAt !== null) {
    const number = delivery.attempts + 1
    entries.push({ kind: 'next_attempt', at: utc(dueAt), ...ofDelivery, number, ...none })
  }
  return entries
}

/** The order of entries within the same millisecond. */
const kinds = ['request', 'change', 'event', 'attempt', 'finished', 'next_attempt'] as const

const compareEntries = (left: TimelineEntry, right: TimelineEntry): number =>
  Date.parse(left.at) - Date.parse(right.at) || kinds.indexOf(left.kind) - kinds.indexOf(right.kind)

/** Lists the history of a call or group, and its next steps, in chronological order. */
export const buildEntries = (subject: Subject, deliveries: readonly Marked[]): TimelineEntry[] => {
  const events = subject.events.map(
    (event): TimelineEntry => ({
      kind: 'event',
      at: utc(event.occurredAt),
      event: showEvent(event),
      ...none,
    }),
  )
  return [
    ...listRequests(subject.requests),
    ...listChanges(subject),
    ...events,
    ...deliveries.flatMap(listDelivery),
  ].sort(compareEntries)
}
