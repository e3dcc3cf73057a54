import type { Delivery } from '@wabakit/server/control-types'
import { copyAsCurl, resend } from '../actions/delivery-actions.ts'
import { editAndSend } from '../actions/edit-and-send.tsx'
import { ResendMatching } from '../actions/resend-matching.tsx'
import { findSubscription, shortenUrl } from '../api/subscriptions.ts'
import { DeliveryBody, useDelivery } from '../detail/delivery-body.tsx'
import { DeliveryMenu } from '../detail/delivery-menu.tsx'
import { reveal } from '../format/reveal.ts'
import type { DetailProps, ListDefinition } from '../list/list-definition.ts'
import { Panel } from '../parts/panel.tsx'
import { Badge, DeliveryStatus, HttpStatus } from '../parts/status.tsx'
import { SubjectLink } from '../parts/subject-link.tsx'
import { Time, timeWidth } from '../parts/time.tsx'
import { eventFilters, toChoices } from './filters.ts'

/**
 * Statuses and their most useful combinations: failed deliveries, and deliveries that only a resend can still deliver.
 */
const statuses = [
  { value: 'pending,waiting,claimed', label: 'unfinished' },
  ...toChoices(['pending,exhausted', 'exhausted,skipped'], (value) => value.replace(',', ' or ')),
  ...toChoices(['delivered', 'pending', 'claimed', 'waiting', 'exhausted', 'skipped']),
]

const responses = toChoices('none 2xx 3xx 4xx 400 401 403 404 410 429 5xx 500 502 503'.split(' '))

const Response = ({ lastResponse }: Pick<Delivery, 'lastResponse'>) => {
  if (lastResponse === null) return null
  if (lastResponse.status !== null) return <HttpStatus status={lastResponse.status} />
  return (
    <span title={lastResponse.error ?? undefined}>
      <Badge tone="bad">none</Badge>
    </span>
  )
}

const DeliveryDetail = ({ id, item }: DetailProps<Delivery>) => {
  const { known, problem } = useDelivery(id)
  const delivery = known?.delivery ?? item
  return (
    <Panel
      label="Delivery"
      problem={problem}
      title={reveal(delivery?.eventName ?? id)}
      badge={delivery && <DeliveryStatus {...delivery} />}
      actions={delivery !== undefined && <DeliveryMenu delivery={delivery} attempt={known?.attempt} />}
    >
      {known !== undefined && <DeliveryBody {...known} />}
    </Panel>
  )
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
    { key: 'finished', label: 'Finished', kind: 'time', from: 'finishedFrom', before: 'finishedBefore' },
  ],
  columns: {
    Status: { width: '80px', cell: (delivery) => <DeliveryStatus {...delivery} /> },
    Response: { width: '72px', cell: (delivery) => <Response {...delivery} />, isExtra: 'below' },
    Event: {
      width: 'minmax(100px, 192px)',
      cell: ({ eventName }) => <span class="name">{reveal(eventName)}</span>,
    },
    About: {
      width: 'minmax(80px, 1fr)',
      cell: (delivery) => <SubjectLink {...delivery} />,
      isExtra: 'below',
    },
    Endpoint: {
      width: 'minmax(90px, 1.4fr)',
      cell: ({ subscriptionId }) => {
        const url = findSubscription(subscriptionId)?.url
        return <span title={url}>{url === undefined ? subscriptionId : shortenUrl(url)}</span>
      },
      isExtra: 'on_phones',
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
  isChangedBy: () => true,
  Bulk: ResendMatching,
  keys: {
    r: (id) => void resend(id),
    e: (id) => void editAndSend(id),
    c: (id) => void copyAsCurl(id),
  },
  Detail: DeliveryDetail,
  empty: {
    title: 'No deliveries yet',
    text: 'A delivery brings one event to one endpoint. Subscribe one, and make something happen:',
    commands: ['wabakit listen --forward-to http://127.0.0.1:3000/webhooks', 'wabakit trigger call'],
  },
}
