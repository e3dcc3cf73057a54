import { escapeControls } from '@wabakit/wire'
import type { z } from 'zod/mini'
import type { AttemptView, DeliveryView } from '../control/views/delivery.ts'
import type { TimelineEntry, TimelineView } from '../control/views/timeline.ts'
import type { Output } from './output.ts'

type Attempt = z.input<typeof AttemptView>
type Delivery = z.input<typeof DeliveryView>

const formatTime = (at: string): string => at.slice(11, 23)

/** Returns the lines that explain an attempt: the response, the likely cause of a failure, and its remedy. */
const explainAttempt = ({ responseBody, diagnosis }: Attempt): string[] => {
  const response =
    responseBody === null || responseBody === '' ? [] : [`response: ${responseBody.slice(0, 500)}`]
  return diagnosis === null
    ? response
    : [...response, `cause: ${diagnosis.text}`, `remedy: ${diagnosis.remedy}`]
}

const formatOutcome = ({ style }: Output, { status, error, succeeded, durationMs }: Attempt): string => {
  const outcome = style(succeeded ? 'green' : 'red', `[${status ?? 'failed'}]`)
  return `${outcome} ${Math.round(durationMs)} ms${error === null ? '' : ` ${escapeControls(error)}`}`
}

const describeEntry = (
  output: Output,
  entry: TimelineEntry,
): { text: string; details: readonly string[] } => {
  const { style } = output
  switch (entry.kind) {
    case 'request': {
      const { method, path, status, code, keyLabel, requestId } = entry.request
      const key = keyLabel === null || keyLabel === '' ? '' : ` key ${keyLabel}`
      const text = escapeControls(
        `request   ${method} ${path} [${status}]${code === null ? '' : ` ${code}`}${key} ${requestId}`,
      )
      return { text, details: [] }
    }
    case 'change':
      return { text: `state     ${entry.state}`, details: [] }
    case 'event':
      return {
        text: `event     ${style('bold', entry.event.name)} ${escapeControls(entry.event.id)}`,
        details: [],
      }
    case 'attempt': {
      const { attempt, eventName, subscriptionId } = entry
      const text = `attempt ${attempt.number} ${escapeControls(`${eventName} ${subscriptionId} POST ${attempt.url}`)} ${formatOutcome(output, attempt)}`
      return { text, details: explainAttempt(attempt) }
    }
    case 'finished':
      return {
        text: escapeControls(`finished  ${entry.eventName} ${entry.subscriptionId} ${entry.status}`),
        details: [],
      }
    case 'next_attempt': {
      const text = escapeControls(
        `next      attempt ${entry.number} of ${entry.eventName} ${entry.subscriptionId}`,
      )
      return { text, details: [] }
    }
  }
  return entry satisfies never
}

const indent = (lines: readonly string[]): string[] => lines.map((line) => `    ${escapeControls(line)}`)

/** Adds a line with the date before the first line of each day. */
const addDays = (
  { style }: Output,
  entries: readonly { readonly at: string; readonly lines: readonly string[] }[],
): string[] =>
  entries.flatMap(({ at, lines }, index) => {
    const day = at.slice(0, 10)
    return entries[index - 1]?.at.startsWith(day) ? lines : [style('dim', `${day} UTC`), ...lines]
  })

/** Formats the timeline of a call or group: a line for each entry, then why each unfinished delivery is waiting. */
export const formatTimeline = (output: Output, { entries, deliveries }: TimelineView): string => {
  const happened = entries.map((entry) => {
    const { at } = entry
    const { text, details } = describeEntry(output, entry)
    const marks = entry.marks.map(({ kind, text: why }) => `${kind}: ${why}`)
    return {
      at,
      lines: [`${output.style('dim', formatTime(at))}  ${text}`, ...indent([...details, ...marks])],
    }
  })
  const waits = deliveries.flatMap(({ id, eventName, wait }) =>
    wait === null ? [] : [escapeControls(`${id}  ${eventName}: ${wait.text}`)],
  )
  return [
    ...addDays(output, happened),
    ...(waits.length > 0 ? ['', 'Waiting', ...waits.map((line) => `  ${line}`)] : []),
  ].join('\n')
}

export const formatDelivery = (output: Output, delivery: Delivery, attempts: readonly Attempt[]): string => {
  const { id, eventName, subject, subscriptionId, status, wait } = delivery
  const happened = attempts.map((attempt) => ({
    at: attempt.startedAt,
    lines: [
      `${output.style('dim', formatTime(attempt.startedAt))}  attempt ${attempt.number} POST ${escapeControls(attempt.url)} ${formatOutcome(output, attempt)}`,
      ...indent(explainAttempt(attempt)),
    ],
  }))
  return [
    `${escapeControls(`${id}  ${eventName} of ${subject} to ${subscriptionId}:`)} ${output.style('bold', status)}`,
    ...addDays(output, happened),
    ...(wait === null ? [] : [escapeControls(wait.text)]),
  ].join('\n')
}
