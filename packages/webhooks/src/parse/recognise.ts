import { type EventName, isEventName } from '@wabakit/contract/events'

/** Which part of a payload told its event: the field `event`, the field `eventType`, or a field only it has. */
export type RecognisedBy = 'event' | 'eventType' | 'shape'

/** A JSON object of which nothing is known yet. */
export type RawPayload = { readonly [field: string]: unknown }

/** What a payload says it is. */
export type Recognition =
  | { readonly name: EventName; readonly recognisedBy: RecognisedBy }
  | { readonly name: string | undefined; readonly recognisedBy: undefined }

/** The timestamp that only one event has, for services that send no type field at all. */
const telltales = [
  ['groupCreatedAt', 'GROUP_CREATED'],
  ['participantJoinedAt', 'GROUP_PARTICIPANT_JOINED'],
  ['participantLeftAt', 'GROUP_PARTICIPANT_LEFT'],
  ['participantRemovedAt', 'GROUP_PARTICIPANT_REMOVED'],
] as const

const textField = (raw: RawPayload, field: string): string | undefined => {
  const value = Object.hasOwn(raw, field) ? raw[field] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

const recogniseShape = (raw: RawPayload): Recognition => {
  const found = telltales.filter(([field]) => Object.hasOwn(raw, field))
  const [only] = found
  if (only === undefined || found.length > 1) return { name: undefined, recognisedBy: undefined }
  return { name: only[1], recognisedBy: 'shape' }
}

/** Recognises an event by `event`, else by `eventType`, else by the one timestamp field that only that event has. */
export const recognise = (raw: RawPayload): Recognition => {
  for (const field of ['event', 'eventType'] as const) {
    const name = textField(raw, field)
    if (name === undefined) continue
    return isEventName(name) ? { name, recognisedBy: field } : { name, recognisedBy: undefined }
  }
  return recogniseShape(raw)
}
