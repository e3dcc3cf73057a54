import type { Event } from '@wabakit/server/control-types'
import { showBody } from '../format/mask.ts'
import { reveal } from '../format/reveal.ts'
import type { ListDefinition } from '../list/list-definition.ts'
import { SubjectLink } from '../parts/subject-link.tsx'
import { Time, timeWidth } from '../parts/time.tsx'
import {
  callFilter,
  groupFilter,
  nameFilter,
  numberFilter,
  subscriptionFilter,
  timeFilter,
} from './filters.ts'

export const events: ListDefinition<Event> = {
  view: 'events',
  title: 'Events',
  source: (id) => ({
    path: `/organizations/${encodeURIComponent(id)}/events`,
    query: { order: 'newest_first' },
  }),
  getId: ({ id }) => id,
  getTime: ({ occurredAt }) => occurredAt,
  searches: 'payloads',
  filters: [nameFilter, subscriptionFilter, numberFilter, callFilter, groupFilter, timeFilter],
  columns: [
    {
      title: 'Event',
      width: 'minmax(140px, 1.1fr)',
      cell: ({ name }) => <span class="name">{reveal(name)}</span>,
    },
    {
      title: 'About',
      width: 'minmax(90px, 1fr)',
      cell: (event) => <SubjectLink {...event} />,
      isExtra: 'below',
    },
    {
      title: 'Payload',
      width: 'minmax(120px, 2fr)',
      cell: ({ payload }) => <code class="quiet">{showBody(payload).slice(0, 300)}</code>,
      isExtra: true,
    },
    { title: 'Time', width: timeWidth, cell: ({ occurredAt }) => <Time at={occurredAt} /> },
  ],
  isChangedBy: ({ type }) => type === 'event',
  empty: {
    title: 'Nothing has happened yet',
    text: 'Events appear here as soon as they are published. Make something happen:',
    commands: [
      'wabakit trigger call',
      'wabakit trigger call --set outcome=missed',
      'wabakit trigger GROUP_CREATED',
    ],
  },
}
