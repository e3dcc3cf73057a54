import type { WebhookEvent } from '@wabakit/contract'
import { printDifferences, printValue } from '../matching/print.ts'
import type { RecordedDelivery, RecordedRequest, Recorder } from '../recording.ts'
import type { EventFilter } from './event-filter.ts'
import { explainRejections } from './explain-rejection.ts'

/** Work that is due later on the mock's clock. */
export type Upcoming = { readonly description: string; readonly inMs: number }

/** The past and the scheduled future of a tenant. */
export type Situation = Pick<Recorder, 'requests' | 'events' | 'deliveries'> & {
  readonly seed: number
  /** Ids of deliveries that were only recorded: an endpoint is under test, but no subscription gets them. */
  readonly unreceived: readonly string[]
  /** Set if a test has waited or added a delivery fault through the control API. */
  readonly isRemote: boolean
  /** Names of the events whose delivery has no response yet. */
  readonly pending: readonly string[]
  readonly upcoming: readonly Upcoming[]
  /** Explains why calls have no summary, and none is scheduled, one a line. */
  readonly summaries: readonly string[]
  /** Address of the page that shows all of this; `undefined` in process. */
  readonly pageUrl: string | undefined
}

type Filter = Omit<EventFilter, 'accepts'> & { accepts(event: WebhookEvent): boolean }

const maxLines = 20

const formatList = (title: string, lines: readonly string[]): string[] => {
  const hidden = lines.length - maxLines
  const shown = lines.slice(-maxLines).map((line) => `  ${line}`)
  return [title, ...(hidden > 0 ? [`  (${hidden} earlier ones)`] : []), ...shown]
}

export const describeRequest = ({ endpoint, method, path, status, verdict }: RecordedRequest): string =>
  [endpoint ?? `${method} ${path}`, status ?? 'no response', verdict].join(' ')

const formatFailed = (requests: readonly RecordedRequest[]): string[] => {
  const lines = requests.filter(({ status }) => status === undefined || status >= 400).map(describeRequest)
  return lines.length === 0 ? [] : formatList('Failed requests so far:', lines)
}

export const describeEvent = (event: WebhookEvent): string =>
  `${event.event}  ${'groupId' in event ? `groupId ${event.groupId}` : `callId ${event.callId}`}`

const formatEvents = (events: readonly WebhookEvent[]): string[] => {
  if (events.length === 0) return ['No event has happened yet.']
  const lines = events.map((event, index) => `${index + 1}. ${describeEvent(event)}`)
  return formatList('Events so far:', lines)
}

const maxLineLength = 200

const formatResponse = ({ status, responseBody, outcome }: RecordedDelivery): string => {
  const [line = ''] = responseBody.trim().split(/\r?\n/)
  const text = line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line
  const result = outcome === 'duplicate' ? `status ${status}, taken for a duplicate` : `status ${status}`
  return text === '' ? result : `${result}: ${text}`
}

export const describeDelivery = (delivery: RecordedDelivery): string => {
  const { name, to, attempt, status, error, faults } = delivery
  const outcome = status === undefined ? error : formatResponse(delivery)
  const fault = faults.length > 0 ? ` (fault: ${faults.join(', ')})` : ''
  return `${name || 'event without a name'} to ${to}, attempt ${attempt}: ${outcome}${fault}`
}

const formatDeliveries = ({ deliveries, unreceived }: Situation): string[] => {
  const shown = deliveries.filter(
    ({ id, to, status, acknowledged }) =>
      to !== 'collector' || status === undefined || acknowledged || unreceived.includes(id),
  )
  if (shown.length === 0) return ['Nothing has been delivered yet.']
  const lines = shown.map((delivery) => {
    const { id, name, to } = delivery
    if (to === 'collector' && unreceived.includes(id)) return `${name}: no subscription gets this event`
    return describeDelivery(delivery)
  })
  return formatList('Deliveries so far:', lines)
}

const formatNearest = (filter: Filter, events: readonly WebhookEvent[]): string[] => {
  const [nearest] = events
    .map((event, index) => ({ event, index, differences: filter.findDifferences(event) }))
    .filter(({ event }) => event.event === filter.name)
    .toSorted((a, b) => (a.differences?.length ?? 0) - (b.differences?.length ?? 0))
  if (nearest === undefined) return []
  const { event, index, differences } = nearest
  if (differences === undefined) return [`The most similar is number ${index + 1}: ${printValue(event)}`]
  return differences.length === 0
    ? []
    : [`The most similar is number ${index + 1}. It differs in:`, printDifferences(differences)]
}

const explainUnreceived = (filter: Filter, { deliveries, unreceived, isRemote }: Situation): string[] => {
  const isMissing = ({ id, event }: RecordedDelivery): boolean =>
    event !== undefined && unreceived.includes(id) && filter.accepts(event)
  if (!deliveries.some(isMissing)) return []
  const add = isRemote
    ? 'POST /_wabakit/organizations/{id}/subscriptions'
    : 'mock.subscribe or mock.deliverTo'
  return [`Subscribe the endpoint to its channel and number before the event happens: ${add}.`]
}

/** Names the page that shows what happened, if there is one. */
export const formatPage = ({ pageUrl }: Pick<Situation, 'pageUrl'>): string[] =>
  pageUrl === undefined ? [] : [`Open ${pageUrl} to see what happened, while the mock runs.`]

const formatUpcoming = ({ upcoming, isRemote }: Situation): string[] =>
  upcoming.slice(0, 5).map(({ description, inMs }) => {
    const advance = isRemote ? `POST …/clock {"advance":${inMs}}` : `await mock.clock.advance(${inMs})`
    return `Due later: ${description}, in ${inMs} ms on the mock's clock: ${advance}`
  })

const explainSummary = ({ name }: Filter, { summaries }: Situation): readonly string[] =>
  name === 'CALL_AI_SUMMARY' ? summaries : []

/** Lists the reasons why an event has not happened, one a line. */
export const listEventReasons = (filter: Filter, situation: Situation): string[] => [
  ...formatFailed(situation.requests),
  ...formatEvents(situation.events),
  ...formatNearest(filter, situation.events),
  ...explainSummary(filter, situation),
  ...formatUpcoming(situation),
]

/** Lists the reasons why no delivery was acknowledged, one a line. */
export const listDeliveryReasons = (filter: Filter, situation: Situation): string[] => {
  const { requests, events, deliveries, pending } = situation
  return [
    ...(events.some((event) => filter.accepts(event))
      ? formatDeliveries(situation)
      : [...formatFailed(requests), ...formatEvents(events), ...formatNearest(filter, events)]),
    ...explainUnreceived(filter, situation),
    ...pending.map((name) => `${name} was sent and has no response yet. Does its handler hang?`),
    ...explainRejections(deliveries),
    ...explainSummary(filter, situation),
    ...formatUpcoming(situation),
  ]
}

type Timeout = {
  /** What did not happen, as a sentence without its end. */
  readonly failure: string
  readonly timeoutMs: number
  readonly listReasons: (situation: Situation) => readonly string[]
}

/** Formats the message of a failed wait. */
export const formatTimeout = ({ failure, timeoutMs, listReasons }: Timeout, situation: Situation): string =>
  [
    `${failure} within ${timeoutMs} ms (seed ${situation.seed}).`,
    ...formatPage(situation),
    ...listReasons(situation),
  ].join('\n')
