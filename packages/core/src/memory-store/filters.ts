import type { AttemptRecord } from '../records.ts'
import type { DeliverySelection, EventSelection } from '../store.ts'
import { type DeliveryRow, type EventRow, getStatus } from './tables.ts'

const toAsciiLowerCase = (text: string): string =>
  // `toLowerCase` is much faster, but also changes other letters.
  /\P{ASCII}/u.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text.toLowerCase()

/** Returns whether a string contains another, ignoring the case of ASCII letters. */
export const containsText = (text: string, part: string): boolean =>
  toAsciiLowerCase(text).includes(toAsciiLowerCase(part))

/** Creates a condition on the events of rows. It ignores `subscriptionId`. */
export const createEventFilter = (selection: EventSelection) => {
  const { organizationId, eventId, names, subject, digits, occurredFrom, occurredBefore, text } = selection
  return ({ event }: Pick<EventRow, 'event'>): boolean =>
    organizationId === event.organizationId &&
    (eventId === undefined || eventId === event.id) &&
    (names === undefined || names.includes(event.name)) &&
    (subject === undefined || subject === event.subject) &&
    (digits === undefined || digits === event.digits) &&
    (occurredFrom === undefined || event.occurredAt >= occurredFrom) &&
    (occurredBefore === undefined || event.occurredAt < occurredBefore) &&
    (text === undefined || text === event.id || containsText(event.payload, text))
}

const createAttemptFilter = ({ anyResponses, attemptedFrom, attemptedBefore }: DeliverySelection) => {
  if (anyResponses === undefined && attemptedFrom === undefined && attemptedBefore === undefined) {
    return undefined
  }
  return ({ status, startedAt }: AttemptRecord): boolean =>
    (anyResponses === undefined || anyResponses.includes(status ?? 0)) &&
    (attemptedFrom === undefined || startedAt >= attemptedFrom) &&
    (attemptedBefore === undefined || startedAt < attemptedBefore)
}

export const createDeliveryFilter = (selection: DeliverySelection) => {
  const { subscriptionId, statuses, finishedFrom, finishedBefore, responses } = selection
  const matchesEvent = createEventFilter(selection)
  const matchesAttempt = createAttemptFilter(selection)
  return (row: DeliveryRow): boolean =>
    (subscriptionId === undefined || subscriptionId === row.owner.record.id) &&
    (statuses === undefined || statuses.includes(getStatus(row))) &&
    (finishedFrom === undefined || (row.finishedAt ?? -Infinity) >= finishedFrom) &&
    (finishedBefore === undefined || (row.finishedAt ?? Infinity) < finishedBefore) &&
    (responses === undefined ||
      (row.attempts.length > 0 && responses.includes(row.attempts.at(-1)?.status ?? 0))) &&
    (matchesAttempt === undefined || row.attempts.some(matchesAttempt)) &&
    matchesEvent(row)
}
