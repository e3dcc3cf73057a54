import { showNumber, showText } from './mask.ts'
import { formatDuration } from './time.ts'

type EventFacts = {
  /** The customer of a call, or the name of a group. */
  readonly customerNumber?: string
  readonly groupName?: string
  /** A short text for lists, such as the recap. `undefined` if the event has none. */
  readonly text?: string | undefined
}

const readText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** Reads the customer or the group of an event, and a short text, from its payload, which may be any text. */
export const readEvent = (payload: string): EventFacts => {
  let fields: Readonly<Record<string, unknown>>
  try {
    fields = Object(JSON.parse(payload))
  } catch {
    return {}
  }
  const customerNumber = readText(fields.customerNumber)
  const groupName = readText(fields.groupName)
  const recap = readText(Object(fields.summary).recap)
  const member = readText(fields.customerPhone)
  const { durationInSeconds: seconds } = fields
  const call = [
    readText(fields.callDirection)?.toLowerCase(),
    typeof seconds === 'number' && formatDuration(seconds * 1_000),
  ].filter(Boolean)
  return {
    ...(customerNumber && { customerNumber }),
    ...(groupName && { groupName }),
    text: recap ? showText(recap) : member ? showNumber(member) : call.join(' · ') || undefined,
  }
}
