import type { Delivery } from '@wabakit/server/control-types'
import { ResendFailedButton } from '../actions/resend-failed.tsx'
import { ResendMatching } from '../actions/resend-matching.tsx'
import { findSubscription } from '../api/subscriptions.ts'
import { EndpointLines, EndpointName } from '../components/endpoint-name.tsx'
import { Panel } from '../components/panel.tsx'
import { Badge, DeliveryStatus, HttpStatus } from '../components/status.tsx'
import { SubjectLink } from '../components/subject-link.tsx'
import { Time, timeWidth } from '../components/time.tsx'
import { DeliveryBody, useDelivery } from '../detail/delivery-body.tsx'
import { DeliveryMenu, deliveryKeys } from '../detail/delivery-menu.tsx'
import { toChoices } from '../format/choices.ts'
import { reveal } from '../format/mask.ts'
import type { DetailProps, ListDefinition } from '../list/list-definition.ts'
import { openId } from '../state/current-record.ts'
import { failing, unfinished } from '../state/route.ts'
import { isTablet } from '../state/viewport.ts'
import { eventFilters } from './filters.ts'

/** Combinations of statuses that users often look for, and each single status. */
const statuses = [
  { value: unfinished, label: 'unfinished' },
  ...toChoices([failing.status, 'exhausted,skipped'], (value) => value.replaceAll(',', ' or ')),
  ...toChoices(['delivered', 'pending', 'attempting', 'waiting', 'exhausted', 'skipped']),
]

const responses = [
  { value: failing.response, label: 'failed' },
  ...toChoices('none 2xx 3xx 4xx 400 401 403 404 410 429 5xx 500 502 503'.split(' ')),
]

/** Returns whether the list is too narrow for a column with the endpoint. */
const isNarrow = (): boolean => openId.value !== '' || isTablet.value

const Response = ({ lastResponse }: Pick<Delivery, 'lastResponse'>) => {
  if (lastResponse === null) return null
  if (lastResponse.status !== null) return <HttpStatus status={lastResponse.status} />
  return (
    <span title={lastResponse.error ?? undefined}>
      <Badge tone="bad">none</Badge>
    </span>
  )
}

const getUrl = (subscriptionId: string): string => findSubscription(subscriptionId)?.url ?? subscriptionId

const DeliveryDetail = ({ id, item }: DetailProps<Delivery>) => {
  const { known, problem } = useDelivery(id)
  const delivery = known?.delivery ?? item
  return (
    <Panel
      label="Delivery"
      problem={problem}
      title={reveal(delivery?.eventName ?? id)}
      badge={delivery && <DeliveryStatus {...delivery} />}
      actions={known !== undefined && <DeliveryMenu {...known} />}
    >
      {known !== undefined && <DeliveryBody {...known} />}
    </Panel>
  )
}

/** Resends what failed if only an endpoint or times are filtered. With another filter, resends everything in the list. */
const Resend: NonNullable<ListDefinition<Delivery>['Bulk']> = (matching) => {
  const { subscription, from, before, ...others } = matching.query
  if (Object.keys(others).length > 0) return <ResendMatching {...matching} />
  const scope = subscription === undefined ? 'to all endpoints' : 'to this endpoint'
  return <ResendFailedButton scope={scope} subscription={subscription} shown={{ from, before }} />
}

export const deliveries: ListDefinition<Delivery> = {
  view: 'deliveries',
  order: 'newest_first',
  isMutable: true,
  getId: ({ id }) => id,
  getTime: ({ createdAt }) => createdAt,
  searches: 'payloads',
  filters: [
    { key: 'status', label: 'Status', kind: 'choice', choices: () => statuses },
    { key: 'response', label: 'Last response', kind: 'choice', choices: () => responses },
    ...eventFilters,
    { key: 'anyResponse', label: 'Any response', kind: 'choice', choices: () => responses },
    { key: 'attempted', label: 'Attempted', kind: 'time', from: 'attemptedFrom', before: 'attemptedBefore' },
    { key: 'finished', label: 'Finished', kind: 'time', from: 'finishedFrom', before: 'finishedBefore' },
  ],
  columns: {
    Status: { width: '82px', cell: (delivery) => <DeliveryStatus {...delivery} /> },
    Response: { width: '72px', cell: (delivery) => <Response {...delivery} />, isExtra: 'below' },
    Event: {
      width: 'minmax(100px, 1.1fr)',
      cell: ({ eventName }) => <span class="name">{reveal(eventName)}</span>,
      isName: true,
    },
    About: {
      width: 'minmax(80px, 0.8fr)',
      cell: (delivery) => (
        <span class="pair">
          <SubjectLink {...delivery} />
          {isNarrow() && (
            <>
              <span>→</span>
              <EndpointName url={getUrl(delivery.subscriptionId)} />
            </>
          )}
        </span>
      ),
      isExtra: 'below',
    },
    Endpoint: {
      width: 'minmax(90px, 1.6fr)',
      cell: ({ subscriptionId }) => <EndpointLines url={getUrl(subscriptionId)} />,
      isExtra: true,
    },
    Attempts: {
      width: '72px',
      cell: ({ attempts, failures }) => (
        <span class="number" title={`${failures} failed`}>
          {attempts}
        </span>
      ),
      isExtra: true,
    },
    Time: { width: timeWidth, cell: ({ createdAt }) => <Time at={createdAt} /> },
  },
  isAbout: () => true,
  Bulk: Resend,
  keys: deliveryKeys,
  Detail: DeliveryDetail,
  empty: {
    title: 'No deliveries yet',
    text: 'A delivery sends an event to an endpoint. Subscribe an endpoint, then make something happen:',
    commands: ['wabakit listen --forward-to http://127.0.0.1:3000/webhooks', 'wabakit trigger call'],
  },
}
