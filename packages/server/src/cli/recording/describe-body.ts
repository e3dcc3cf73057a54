import {
  type EventForm,
  eventFields,
  findEventForm,
  findKind,
  listVariants,
  type MeasuredProfile,
  readPath,
} from '@wabakit/contract/profile'
import { isWebhookParseError, type ParsedEvent, parseEvent } from '@wabakit/webhooks'
import { escapeControls } from '@wabakit/wire'
import type { Output } from '../output.ts'

export type BodyDescription = {
  readonly kind: ParsedEvent['kind'] | 'unreadable'
  /** The event's name. `null` if the body has none. */
  readonly event: string | null
  /** The mistakes in a drifted or an unreadable body. */
  readonly reasons: readonly string[]
}

/** Returns whether the profile's service was seen to send a field in this way. */
const isMeasured = (
  profile: MeasuredProfile,
  form: EventForm,
  { path, raw }: { path: string; raw: object },
): boolean => {
  const field = eventFields.findLast((each) => path === each || path.startsWith(`${each}.`))
  if (field === undefined) return false
  const value = readPath(raw, field)
  const kind = value === undefined ? undefined : findKind(field, value)
  return listVariants(profile.events[form]?.[field]).includes(kind)
}

/**
 * Describes how a receiver would interpret a body, regardless of its size. What the profile's service was seen to send has not
 * drifted.
 */
export const describeBody = (body: Uint8Array, profile?: MeasuredProfile): BodyDescription => {
  try {
    const parsed = parseEvent(body, { maxBytes: Infinity })
    if (parsed.kind === 'event') return { kind: 'event', event: parsed.event.event, reasons: [] }
    if (parsed.kind === 'unknown') return { kind: 'unknown', event: parsed.name ?? null, reasons: [] }
    const { name, raw } = parsed
    const issues =
      profile === undefined
        ? parsed.issues
        : parsed.issues.filter(({ path }) => !isMeasured(profile, findEventForm(name, raw), { path, raw }))
    if (issues.length === 0) return { kind: 'event', event: name, reasons: [] }
    return { kind: 'drifted', event: name, reasons: issues.map(({ message }) => message) }
  } catch (error) {
    if (!isWebhookParseError(error)) throw error
    return { kind: 'unreadable', event: null, reasons: [error.message] }
  }
}

const colors = { event: 'green', unknown: 'yellow', drifted: 'red', unreadable: 'red' } as const

/** Formats a description: `drifted CALL_ENDED`. */
export const formatKind = ({ style }: Output, { kind, event }: BodyDescription): string =>
  `${style(colors[kind], kind.padEnd(10))} ${escapeControls(event ?? '')}`.trimEnd()

/** Explains what is not a POST: a health check, or the webhook of a registration that asks for another method. */
export const explainMethods = (methods: ReadonlySet<string>): string =>
  `A receiver does not read what arrives by ${[...methods].map(escapeControls).join(', ')}. If it is a webhook, its registration asks for this method: register the webhook again with the method POST and the body format JSON.`
