import type { Overview, SubscriptionOverview } from '@wabakit/server/control-types'
import { isGivenUp, isTroubled, shortenUrl } from '../api/subscriptions.ts'
import { RecordLink } from '../components/record-link.tsx'
import { disabledTexts, EndpointState } from '../components/status.tsx'
import { Time } from '../components/time.tsx'
import { formatAge, formatCount } from '../format/numbers.ts'
import { unfinished } from '../state/route.ts'
import { getWindowParams } from './window.tsx'

/** Number of endpoints that are named, so that the numbers below them stay in view. */
const maxNamed = 3

type State = SubscriptionOverview['state']

const verbs: Readonly<Record<State, readonly [one: string, several: string]>> = {
  failing: ['fails', 'fail'],
  behind: ['is behind', 'are behind'],
  working: ['works', 'work'],
  untried: ['is untried', 'are untried'],
  disabled: ['is disabled', 'are disabled'],
}

/** The states that the sentence counts. Working endpoints are counted only if none needs attention. */
const listStates = ({ failing, behind }: Overview['subscriptions']): readonly State[] =>
  failing + behind > 0 ? ['failing', 'behind', 'untried', 'disabled'] : ['working', 'untried', 'disabled']

/** Names an endpoint, with since when it fails or how far it is behind, and how many deliveries are unfinished, or why it was disabled. */
const Trouble = ({ endpoint }: { readonly endpoint: SubscriptionOverview }) => {
  const { subscription, state, oldestDueAt, backlog } = endpoint
  const { id, url, failingSince, disabledReason, maxAttemptsPerSecond } = subscription
  const since = disabledReason === null ? failingSince : null
  return (
    <li>
      <EndpointState state={state} />{' '}
      <RecordLink view="subscriptions" id={id} filters={getWindowParams()}>
        {shortenUrl(url)}
      </RecordLink>
      {since !== null && (
        <>
          {' '}
          since <Time at={since} to="second" /> ({formatAge(since)})
        </>
      )}
      {oldestDueAt !== null && `: its oldest due delivery has waited ${formatAge(oldestDueAt)}`}
      {disabledReason !== null && `: ${disabledTexts[disabledReason]}`}
      {disabledReason === null && backlog.unfinished ? (
        <>
          ;{' '}
          <RecordLink view="deliveries" filters={{ subscription: id, status: unfinished }}>
            {formatCount(backlog.unfinished)} unfinished
          </RecordLink>
        </>
      ) : null}
      {oldestDueAt !== null &&
        maxAttemptsPerSecond !== null &&
        `; at most ${maxAttemptsPerSecond} attempts per second`}
    </li>
  )
}

type VerdictProps = {
  readonly counts: Overview['subscriptions']
  /** The endpoints, worst first. */
  readonly endpoints: readonly SubscriptionOverview[]
}

/** One sentence about all endpoints, and lines for the worst ones that fail, were disabled by the server or are behind. */
export const Verdict = ({ counts, endpoints }: VerdictProps) => {
  const enabled = counts.failing + counts.behind + counts.working + counts.untried
  const shown = listStates(counts).filter((state) => counts[state] > 0)
  if (shown.length === 0) return null
  const describe = (state: State, index: number): string => {
    const count = counts[state]
    const total = state === 'disabled' ? count : enabled
    const verb = verbs[state][count === 1 ? 0 : 1]
    if (index > 0) return `${count} ${verb}`
    if (count < total) return `${count} of ${total} endpoints ${verb}`
    return count === 1 ? `The endpoint ${verb}` : `All ${count} endpoints ${verb}`
  }
  const givenUp = endpoints.filter(({ subscription }) => isGivenUp(subscription))
  const troubled = endpoints.filter((each) => isTroubled(each) || givenUp.includes(each))
  const rest = counts.failing + givenUp.length + counts.behind - Math.min(troubled.length, maxNamed)
  return (
    <section aria-label="State of the endpoints">
      <p class="headline">
        {shown.map((state, index) => (
          <>
            {index > 0 && '; '}
            <RecordLink view="subscriptions" filters={{ state }}>
              {describe(state, index)}
            </RecordLink>
          </>
        ))}
        .
      </p>
      {troubled.length > 0 && (
        <ul class="troubles">
          {troubled.slice(0, maxNamed).map((endpoint) => (
            <Trouble key={endpoint.subscription.id} endpoint={endpoint} />
          ))}
          {rest > 0 && <li>and {formatCount(rest)} more.</li>}
        </ul>
      )}
    </section>
  )
}
