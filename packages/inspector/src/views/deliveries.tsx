import type { Delivery } from '@wabakit/server/control-types'
import { copyDelivery, resend } from '../actions/delivery-actions.ts'
import { editAndSend } from '../actions/edit-and-send.tsx'
import type { ListDefinition } from '../list/list-definition.ts'
import { DeliveryStatus } from '../parts/status.tsx'
import { SubjectLink } from '../parts/subject-link.tsx'
import { Time, timeWidth } from '../parts/time.tsx'
import { findSubscription, shortenUrl } from './choices.ts'
import {
  callFilter,
  groupFilter,
  nameFilter,
  numberFilter,
  subscriptionFilter,
  timeFilter,
} from './filters.ts'

/** Statuses, and the combination of them that a reader looks for most. */
const statuses = [
  { value: 'pending,exhausted', label: 'failing' },
  ...['delivered', 'pending', 'claimed', 'waiting', 'exhausted', 'skipped'].map((value) => ({
    value,
    label: value === 'claimed' ? 'sending' : value,
  })),
]

export const deliveries: ListDefinition<Delivery> = {
  view: 'deliveries',
  title: 'Deliveries',
  source: (id) => ({
    path: `/organizations/${encodeURIComponent(id)}/deliveries`,
    query: { order: 'newest_first' },
  }),
  isMutable: true,
  getId: ({ id }) => id,
  getTime: ({ createdAt }) => createdAt,
  searches: 'payloads',
  filters: [
    { key: 'status', label: 'Status', kind: 'choice', choices: () => statuses },
    nameFilter,
    subscriptionFilter,
    numberFilter,
    callFilter,
    groupFilter,
    timeFilter,
  ],
  columns: [
    { title: 'Status', width: '92px', cell: (delivery) => <DeliveryStatus {...delivery} /> },
    {
      title: 'Event',
      width: 'minmax(140px, 1.4fr)',
      cell: ({ eventName }) => <span class="name">{eventName}</span>,
    },
    {
      title: 'About',
      width: 'minmax(90px, 1fr)',
      cell: ({ subject }) => <SubjectLink subject={subject} />,
      isExtra: true,
    },
    {
      title: 'Endpoint',
      width: 'minmax(120px, 1.4fr)',
      cell: ({ subscriptionId }) => {
        const url = findSubscription(subscriptionId)?.url
        return <span title={url}>{url === undefined ? subscriptionId : shortenUrl(url)}</span>
      },
      isExtra: true,
    },
    {
      title: 'Attempts',
      width: '72px',
      cell: ({ attempts, failures }) => (
        <span class="number" title={`${failures} failed`}>
          {attempts}
        </span>
      ),
      isExtra: true,
    },
    { title: 'Time', width: timeWidth, cell: ({ createdAt }) => <Time at={createdAt} /> },
  ],
  isChangedBy: () => true,
  keys: {
    r: (id) => void resend(id),
    e: (id) => void editAndSend(id),
    c: (id) => void copyDelivery('curl', id),
  },
  empty: {
    title: 'No deliveries yet',
    text: 'A delivery brings one event to one endpoint. Subscribe one, and make something happen:',
    commands: [
      'wabakit listen --forward-to http://127.0.0.1:3000/webhooks',
      'wabakit trigger call',
      'wabakit trigger GROUP_CREATED',
    ],
  },
}
