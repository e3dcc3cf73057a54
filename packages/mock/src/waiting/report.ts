import type { EventName, WebhookEvent } from '@wabakit/contract'
import type { Difference } from '../matching/match.ts'
import { printDifferences, printValue } from '../matching/print.ts'
import type { RecordedDelivery } from '../recording/recorded-delivery.ts'
import type { EventFilter } from './event-match.ts'

/** What is still to come on the mock's clock. */
export type Upcoming = { readonly what: string; readonly inMs: number }

const mostLines = 20

const subjectOf = (event: WebhookEvent): string =>
  'groupId' in event ? `groupId ${event.groupId}` : `callId ${event.callId}`

const list = (lines: readonly string[]): string[] => {
  const hidden = lines.length - mostLines
  const shown = lines.slice(-mostLines).map((line) => `  ${line}`)
  return hidden > 0 ? [`  (${hidden} more before)`, ...shown] : shown
}

/** Events as lines: number, name, call or group. */
const eventLines = (events: readonly WebhookEvent[]): string[] =>
  events.length === 0
    ? ['No event has happened yet.']
    : [
        'What happened:',
        ...list(events.map((event, index) => `${index + 1}. ${event.event}  ${subjectOf(event)}`)),
      ]

const outcomeOf = ({ status, error, faults }: RecordedDelivery): string =>
  `${status === undefined ? error : `answered ${status}`}${faults.length > 0 ? ` (fault: ${faults.join(', ')})` : ''}`

const deliveryLines = (deliveries: readonly RecordedDelivery[]): string[] =>
  deliveries.length === 0
    ? ['Nothing has been delivered yet.']
    : [
        'What was delivered:',
        ...list(
          deliveries.map(
            (each) =>
              `${each.name || 'event without a name'} to ${each.to}, attempt ${each.attempt}: ${outcomeOf(each)}`,
          ),
        ),
      ]

const nearest = <Name extends EventName>(
  filter: EventFilter<Name>,
  events: readonly WebhookEvent[],
): string[] => {
  const candidates = events
    .map((event, index) => ({ event, index, differences: filter.differences(event) }))
    .filter(({ event }) => event.event === filter.name)
  const [best] = candidates.toSorted((a, b) => count(a.differences) - count(b.differences))
  if (best === undefined) return []
  const title = `The nearest is number ${best.index + 1}`
  return best.differences === undefined
    ? [`${title}: ${printValue(best.event)}`]
    : best.differences.length === 0
      ? []
      : [`${title}, which differs:`, printDifferences(best.differences)]
}

const count = (differences: readonly Difference[] | undefined): number => differences?.length ?? 0

const upcomingLines = (upcoming: readonly Upcoming[]): string[] =>
  upcoming
    .slice(0, 5)
    .map(
      ({ what, inMs }) =>
        `Due later: ${what}, in ${inMs} ms of the mock's time: await mock.clock.advance(${inMs})`,
    )

/** A receiver that verifies with another secret answers 401 to deliveries that nobody tampered with. */
const secretLines = (deliveries: readonly RecordedDelivery[]): string[] =>
  deliveries.some(
    ({ status, faults, answer }) =>
      status === 401 && !faults.includes('tamper') && /no_matching_signature/.test(answer),
  )
    ? [
        'The receiver refuses the signature, so it verifies with another secret than the mock signs with. Give it ' +
          'mock.secret; a second receiver with a secret of its own belongs to a mock.tenant(), or to mock.subscribe({ receiver, secret }).',
      ]
    : []

/** What a time-out of a wait should tell. */
export type ReportContext<Name extends EventName> = {
  readonly filter: EventFilter<Name>
  readonly timeoutMs: number
  readonly seed: number
  readonly events: readonly WebhookEvent[]
  readonly deliveries: readonly RecordedDelivery[]
  readonly underway: readonly string[]
  readonly upcoming: readonly Upcoming[]
}

/** The message when an event did not happen in time. */
export const eventReport = <Name extends EventName>(context: ReportContext<Name>): string => {
  const { filter, timeoutMs, seed, events, upcoming } = context
  return [
    `No ${filter.label} happened within ${timeoutMs} ms (seed ${seed}).`,
    ...eventLines(events),
    ...nearest(filter, events),
    ...upcomingLines(upcoming),
  ].join('\n')
}

/** The message when an event was not acknowledged in time. */
export const deliveryReport = <Name extends EventName>(context: ReportContext<Name>): string => {
  const { filter, timeoutMs, seed, events, deliveries, underway, upcoming } = context
  const happened = events.some((event) => filter.accepts(event))
  return [
    `No delivery of ${filter.label} was acknowledged within ${timeoutMs} ms (seed ${seed}).`,
    ...(happened ? deliveryLines(deliveries) : [...eventLines(events), ...nearest(filter, events)]),
    ...underway.map((name) => `${name} was sent, and no answer came yet: does its handler hang?`),
    ...secretLines(deliveries),
    ...upcomingLines(upcoming),
  ].join('\n')
}
