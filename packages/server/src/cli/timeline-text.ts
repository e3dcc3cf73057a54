import { escapeControls } from '@wabakit/wire'
import type { Arrival, Attempt, Delivery, SummaryStatus, Timeline, TimelineEntry } from '../control-types.ts'
import type { Output } from './output.ts'
import { formatUrl } from './table.ts'

/** Returns the lines that explain an attempt: the response, the likely cause of a failure, and its remedy. */
const explainAttempt = ({ responseBody, diagnosis }: Attempt): string[] => [
  ...(responseBody ? [`response: ${responseBody.slice(0, 500)}`] : []),
  ...(diagnosis === null ? [] : [`cause: ${diagnosis.text}`, `remedy: ${diagnosis.remedy}`]),
]

const formatOutcome = ({ style }: Output, { status, error, succeeded, durationMs }: Attempt): string => {
  const outcome = style(succeeded ? 'green' : 'red', `[${status ?? 'failed'}]`)
  return `${outcome} ${Math.round(durationMs)} ms${error === null ? '' : ` ${escapeControls(error)}`}`
}

const describeEntry = (output: Output, entry: TimelineEntry): string => {
  switch (entry.kind) {
    case 'request': {
      const { method, path, status, code, keyLabel, requestId } = entry.request
      const words = [`${method} ${path} [${status}]`, code, keyLabel && `key ${keyLabel}`, requestId]
      return escapeControls(`request   ${words.filter(Boolean).join(' ')}`)
    }
    case 'change':
      return escapeControls(`state     ${entry.state}`)
    case 'event':
      return `event     ${output.style('bold', entry.event.name)} ${escapeControls(entry.event.id)}`
    case 'attempt': {
      const { attempt, eventName, subscriptionId } = entry
      const start = escapeControls(
        `attempt ${attempt.number} ${eventName} ${subscriptionId} POST ${attempt.url}`,
      )
      return `${start} ${formatOutcome(output, attempt)}`
    }
    case 'finished':
      return escapeControls(`finished  ${entry.eventName} ${entry.subscriptionId} ${entry.status}`)
    case 'next_attempt':
      return escapeControls(`next      attempt ${entry.number} of ${entry.eventName} ${entry.subscriptionId}`)
  }
  return entry satisfies never
}

type Entry = { readonly at: string; readonly text: string; readonly details: readonly string[] }

/** Formats entries with their times and details. A line with the date precedes the first entry of each day. */
const formatEntries = ({ style }: Output, entries: readonly Entry[]): string[] =>
  entries.flatMap(({ at, text, details }, index) => {
    const day = at.slice(0, 10)
    return [
      ...(entries[index - 1]?.at.startsWith(day) ? [] : [style('dim', `${day} UTC`)]),
      `${style('dim', at.slice(11, 23))}  ${text}`,
      ...details.map((line) => `    ${escapeControls(line)}`),
    ]
  })

const colors = { delivered: 'green', under_way: 'dim', not_delivered: 'red' } as const

/** Formats a line per endpoint: whether everything has arrived there, and if not, why, and which delivery to look at. */
export const formatArrivals = ({ style }: Output, arrivals: readonly Arrival[]): string[] =>
  arrivals.map(({ subscriptionId, url, state, deliveryId, text }) => {
    const name = url === null ? subscriptionId : formatUrl(url).replace(/^https?:\/\//, '')
    const id = state === 'delivered' ? '' : `  ${escapeControls(deliveryId)}`
    return `${escapeControls(name)}  ${style(colors[state], text)}${id}`
  })

/** Returns what became of a call's summary. Leaves out where it is missing and why, because the lines per endpoint say it. */
const describeSummary = ({ text }: SummaryStatus): string => text.replace(/(?<=endpoints\.) .*/s, '')

/** Formats why deliveries wait or were skipped, below a heading. */
const formatWaits = (heading: string, deliveries: readonly Delivery[]): string[] => {
  const lines = deliveries.flatMap(({ id, eventName, wait }) =>
    wait === null ? [] : [escapeControls(`  ${id}  ${eventName}: ${wait.text}`)],
  )
  return lines.length > 0 ? ['', heading, ...lines] : []
}

/**
 * Formats the timeline of a call or group: a line per endpoint, its entries, and why each delivery is unfinished, or was skipped
 * by a subscription that is still disabled.
 */
export const formatTimeline = (output: Output, timeline: Timeline): string => {
  const { endpoints, summaryStatus, entries, deliveries } = timeline
  const arrivals = [
    ...formatArrivals(output, endpoints),
    ...(summaryStatus === null ? [] : [escapeControls(describeSummary(summaryStatus))]),
  ]
  const happened = entries.map((entry) => {
    const explanation = entry.kind === 'attempt' ? explainAttempt(entry.attempt) : []
    const details = [...explanation, ...entry.marks.map(({ kind, text }) => `${kind}: ${text}`)]
    return { at: entry.at, text: describeEntry(output, entry), details }
  })
  const { skipped = [], others = [] } = Object.groupBy(deliveries, ({ status }) =>
    status === 'skipped' ? 'skipped' : 'others',
  )
  return [
    ...arrivals,
    ...(arrivals.length > 0 ? [''] : []),
    ...formatEntries(output, happened),
    ...formatWaits('Waiting', others),
    ...formatWaits('Skipped', skipped),
  ].join('\n')
}

export const formatDelivery = (output: Output, delivery: Delivery, attempts: readonly Attempt[]): string => {
  const { id, eventName, subject, subscriptionId, status, wait } = delivery
  const happened = attempts.map((attempt) => ({
    at: attempt.startedAt,
    text: `${escapeControls(`attempt ${attempt.number} POST ${attempt.url}`)} ${formatOutcome(output, attempt)}`,
    details: explainAttempt(attempt),
  }))
  return [
    `${escapeControls(`${id}  ${eventName} of ${subject} to ${subscriptionId}:`)} ${output.style('bold', status)}`,
    ...formatEntries(output, happened),
    ...(wait === null ? [] : [escapeControls(wait.text)]),
  ].join('\n')
}
