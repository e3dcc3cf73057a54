import type { Customer } from '@wabakit/server/control-types'
import { askToErase } from '../actions/erase-customer.tsx'
import { openSearch } from '../actions/search.tsx'
import { sendOwn } from '../api/organization.ts'
import { areSubscriptionsKnown } from '../api/subscriptions.ts'
import { Button } from '../components/button.tsx'
import { RecordLink } from '../components/record-link.tsx'
import { Badge, LoadProblem } from '../components/status.tsx'
import { Time } from '../components/time.tsx'
import { useRecord } from '../components/use-record.ts'
import { Arrivals } from '../detail/arrivals.tsx'
import { DeliveryLinks } from '../detail/delivery-links.tsx'
import { SummaryView } from '../detail/summary-view.tsx'
import { showNumber } from '../format/mask.ts'
import { formatCount } from '../format/numbers.ts'
import { formatDuration, formatTime } from '../format/time.ts'
import { getParam, isTrace } from '../state/route.ts'
import { CallState } from './calls.tsx'

const Calls = ({ customer: { calls, hasMoreCalls, number } }: { readonly customer: Customer }) => (
  <section aria-label="Calls" class="cards">
    <h2>Calls</h2>
    {calls.length === 0 && <p class="quiet">No calls.</p>}
    {calls.map((call) => (
      <article key={call.callId} class="card">
        <p class="line">
          <CallState {...call} />
          <RecordLink view="calls" id={call.callId}>
            <Time at={call.initiatedAt} />
          </RecordLink>
          <span class="quiet">
            {call.direction.toLowerCase()} · {call.channel}
            {call.durationInSeconds !== null && ` · ${formatDuration(call.durationInSeconds * 1_000)}`}
          </span>
        </p>
        {call.summaryEndpoints > 0 && (
          <p>
            The summary has arrived
            {call.summaryMissing > 0 &&
              ` at ${call.summaryEndpoints - call.summaryMissing} of ${call.summaryEndpoints} endpoints`}
            .
          </p>
        )}
        <Arrivals endpoints={call.endpoints} about={formatTime(call.initiatedAt)} />
        {call.summary ? (
          <SummaryView summary={call.summary} />
        ) : (
          <p class="quiet">
            No summary.{' '}
            <RecordLink view="calls" id={call.callId}>
              See why<span class="sr-only"> ({formatTime(call.initiatedAt)})</span>
            </RecordLink>
          </p>
        )}
      </article>
    ))}
    {hasMoreCalls && (
      <RecordLink view="calls" filters={{ customer: number }}>
        All calls
      </RecordLink>
    )}
  </section>
)

const Memberships = ({ memberships }: Pick<Customer, 'memberships'>) => (
  <section aria-label="Groups" class="cards">
    <h2>Groups</h2>
    {memberships.length === 0 && <p class="quiet">In no group.</p>}
    {memberships.map(({ groupId, state, changedAt, endpoints }) => (
      <article key={groupId} class="card">
        <p class="line">
          <Badge tone={state === 'joined' ? 'good' : 'idle'}>{state}</Badge>
          <RecordLink view="groups" id={groupId}>
            <span class="id">{groupId}</span>
          </RecordLink>
          <Time at={changedAt} />
        </p>
        <Arrivals endpoints={endpoints} about={groupId} />
      </article>
    ))}
  </section>
)

/** Number of memberships whose deliveries the server counts. */
const maxCounted = 20

/** A link to all deliveries, unless all are shown. If some are not counted, their number is not known. */
const AllDeliveries = ({ customer }: { readonly customer: Customer }) => {
  const { number, calls, hasMoreCalls, memberships, deliveries } = customer
  const endpoints = [...calls, ...memberships].flatMap((each) => each.endpoints)
  const count = endpoints.reduce((sum, { events }) => sum + events, 0)
  const isCounted = !hasMoreCalls && memberships.length <= maxCounted
  if (isCounted && count === deliveries.length) return null
  return (
    <p>
      <RecordLink view="deliveries" filters={{ text: number }}>
        {isCounted ? `All ${formatCount(count)} deliveries` : 'All deliveries'}
      </RecordLink>
    </p>
  )
}

/** The latest calls, the groups and the latest deliveries of a customer, who is found by the number. */
export const CustomerView = () => {
  const id = getParam('id')
  const { value: customer, problem } = useRecord(
    { load: () => sendOwn<Customer>(['customers', id]), isAbout: ({ type }) => type === 'event' },
    [id],
  )
  return (
    <div class="overview">
      <header class="list-header">
        <h1>{id === '' ? 'Customers' : `Customer ${showNumber(customer?.number ?? id)}`}</h1>
        {customer && !isTrace && (
          <Button kind="danger" onClick={() => askToErase(customer.number)}>
            Erase
          </Button>
        )}
      </header>
      <div class="body">
        {id === '' ? (
          <Button icon="search" onClick={openSearch}>
            Find a customer
          </Button>
        ) : (
          <LoadProblem text={problem} />
        )}
        {customer && areSubscriptionsKnown.value && (
          <>
            <AllDeliveries customer={customer} />
            <Calls customer={customer} />
            <Memberships memberships={customer.memberships} />
            <DeliveryLinks deliveries={customer.deliveries} by="endpoint" />
          </>
        )}
      </div>
    </div>
  )
}
