import type { AttemptRecord, DeliveryRecord } from '@wabakit/core'
import type { Mark } from '../views/timeline.ts'

export type Attempted = { readonly delivery: DeliveryRecord; readonly attempts: readonly AttemptRecord[] }

const findAcceptance = ({ attempts }: Attempted): AttemptRecord | undefined =>
  attempts.find(({ succeeded }) => succeeded)

/**
 * Returns the start time of the attempt that the endpoint accepted. Attempts in a lane do not overlap, and their end
 * times are less exact than their start times.
 */
const getAcceptanceTime = (each: Attempted): number => findAcceptance(each)?.startedAt ?? Infinity

/** Marks a delivery in its lane: the deliveries of one subscription and subject, in the order of their events. */
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
    marks.push({ kind: 'gap', text: `The endpoint never received this event, but ${name}.` })
  }
  return marks
}

/** Marks a delivery attempt. The first successful attempt gets the marks about the delivery's order. */
export const markAttempt = (attempt: AttemptRecord, each: Attempted, ofDelivery: readonly Mark[]): Mark[] => {
  const accepted = findAcceptance(each)
  if (accepted === undefined || attempt.number < accepted.number) return []
  if (attempt === accepted)
    return ofDelivery.filter(({ kind }) => kind === 'reordered' || kind === 'overtaken')
  return [{ kind: 'duplicate', text: `The endpoint had accepted this event in attempt ${accepted.number}.` }]
}
