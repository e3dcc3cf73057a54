import type { Subscription } from '@wabakit/server/control-types'
import { shortenUrl } from '../api/choices.ts'
import type { ListDefinition } from '../list/list-definition.ts'
import { Badge } from '../parts/status.tsx'
import { Time, timeWidth } from '../parts/time.tsx'

export const SubscriptionStatus = ({ enabled, failingSince }: Subscription) => {
  if (!enabled) return <Badge tone="idle">disabled</Badge>
  return failingSince === null ? <Badge tone="good">enabled</Badge> : <Badge tone="bad">failing</Badge>
}

export const subscriptions: ListDefinition<Subscription> = {
  view: 'subscriptions',
  title: 'Subscriptions',
  source: (id) => ({ path: `/organizations/${encodeURIComponent(id)}/subscriptions` }),
  getId: ({ id }) => id,
  filters: [],
  columns: [
    { title: 'Status', width: '92px', cell: (subscription) => <SubscriptionStatus {...subscription} /> },
    {
      title: 'Endpoint',
      width: 'minmax(140px, 2fr)',
      cell: ({ url }) => (
        <span class="name" title={url}>
          {shortenUrl(url)}
        </span>
      ),
    },
    { title: 'Number', width: 'minmax(110px, 1fr)', cell: ({ number }) => number, isExtra: 'below' },
    { title: 'Channel', width: '96px', cell: ({ channel }) => channel, isExtra: true },
    {
      title: 'Events',
      width: 'minmax(90px, 1.4fr)',
      cell: ({ events }) => (events === 'all' ? 'all' : events.join(', ')),
      isExtra: true,
    },
    { title: 'Created', width: timeWidth, cell: ({ createdAt }) => <Time at={createdAt} /> },
  ],
  isChangedBy: ({ type }) => type === 'attempt',
  empty: {
    title: 'No subscriptions yet',
    text: 'A subscription sends the events of one number to one endpoint:',
    commands: [
      'wabakit listen --forward-to http://127.0.0.1:3000/webhooks',
      'wabakit subscription create --channel PSTN --number <your number> --url http://127.0.0.1:3000/webhooks',
    ],
  },
}
