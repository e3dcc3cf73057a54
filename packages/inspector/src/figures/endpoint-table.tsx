import { useSignal } from '@preact/signals'
import type { Page, SubscriptionOverview } from '@wabakit/server/control-types'
import { isGivenUp, shortenUrl } from '../api/subscriptions.ts'
import { Breakable } from '../components/breakable.tsx'
import { Button } from '../components/button.tsx'
import { RecordLink } from '../components/record-link.tsx'
import { disabledTexts, EndpointState } from '../components/status.tsx'
import { TableHead } from '../components/table-head.tsx'
import { Time } from '../components/time.tsx'
import { formatAge, formatCount, formatLatency, formatRate } from '../format/numbers.ts'
import { failing, unfinished } from '../state/route.ts'
import { Sparkline } from './sparkline.tsx'
import { getWindowParams } from './window.tsx'

/** Number of endpoints that are shown at first, so that the charts stay in view. */
const maxShown = 8

const columns = {
  State: '',
  Endpoint: '',
  Attempts: 'wide',
  Delivered: 'number',
  'Failed attempts': 'number',
  Success: 'number',
  p95: 'number wide',
  Unfinished: 'number',
}

/**
 * Compares two endpoints, worst first: failing ones, those that the server has disabled, those that are behind, then by failed
 * attempts and unfinished deliveries.
 */
export const compareEndpoints = (left: SubscriptionOverview, right: SubscriptionOverview): number => {
  const differences = [
    Number(right.state === 'failing') - Number(left.state === 'failing'),
    Number(isGivenUp(right.subscription)) - Number(isGivenUp(left.subscription)),
    Number(right.state === 'behind') - Number(left.state === 'behind'),
    right.totals.failed - left.totals.failed,
    (right.backlog.unfinished ?? 0) - (left.backlog.unfinished ?? 0),
  ]
  return differences.find((each) => each !== 0) ?? 0
}

const EndpointRow = ({ endpoint }: { readonly endpoint: SubscriptionOverview }) => {
  const { subscription, state, oldestDueAt, totals, series, latency, backlog, times } = endpoint
  const { id, url, number, channel, failingSince, disabledReason } = subscription
  const from = times[0]
  const linkTo = (text: string, filters: Readonly<Record<string, string | undefined>>) => (
    <RecordLink view="deliveries" filters={{ subscription: id, ...filters }}>
      {text}
    </RecordLink>
  )
  return (
    <tr>
      <td>
        <EndpointState state={state} />
      </td>
      <th scope="row">
        <RecordLink view="subscriptions" id={id} filters={getWindowParams()}>
          <span title={url}>
            <Breakable text={shortenUrl(url)} />
          </span>
        </RecordLink>
        <small class="quiet">
          {number || channel}
          {disabledReason !== null && ` · ${disabledTexts[disabledReason]}`}
          {state === 'failing' && failingSince !== null && (
            <>
              {' '}
              · failing since <Time at={failingSince} to="second" />
            </>
          )}
          {oldestDueAt !== null && ` · oldest due delivery has waited ${formatAge(oldestDueAt)}`}
        </small>
      </th>
      <td class="wide">
        <Sparkline {...series} />
      </td>
      <td class="number" data-label="Delivered">
        {linkTo(formatCount(totals.delivered), { status: 'delivered', finishedFrom: from })}
      </td>
      <td class="number" data-label="Failed attempts">
        {linkTo(formatCount(totals.failed), { anyResponse: failing.response, attemptedFrom: from })}
      </td>
      <td class="number" data-label="Success">
        {linkTo(formatRate(totals.successRate), { attemptedFrom: from })}
      </td>
      <td class="number wide" data-label="p95">
        {linkTo(formatLatency(latency.p95Ms), { attemptedFrom: from })}
      </td>
      <td class="number" data-label="Unfinished">
        {linkTo(formatCount(backlog.unfinished), { status: unfinished })}
        {backlog.oldestAt && <small class="quiet"> oldest {formatAge(backlog.oldestAt)}</small>}
      </td>
    </tr>
  )
}

export const EndpointTable = ({ page }: { readonly page: Page<SubscriptionOverview> }) => {
  const isOpen = useSignal(false)
  if (page.items.length === 0) return null
  const endpoints = page.items
  const shown = isOpen.value ? endpoints : endpoints.slice(0, maxShown)
  return (
    <section aria-label="Endpoints">
      <h2>Endpoints</h2>
      <table class="endpoints">
        <TableHead columns={columns} />
        <tbody>
          {shown.map((endpoint) => (
            <EndpointRow key={endpoint.subscription.id} endpoint={endpoint} />
          ))}
        </tbody>
      </table>
      {shown.length < endpoints.length && (
        <p class="line">
          <Button onClick={() => (isOpen.value = true)}>Show all {endpoints.length} endpoints</Button>
        </p>
      )}
      {page.nextCursor !== undefined && (
        <p class="quiet">
          The first {page.items.length} are shown.{' '}
          <RecordLink view="subscriptions">List all subscriptions</RecordLink>
        </p>
      )}
    </section>
  )
}
