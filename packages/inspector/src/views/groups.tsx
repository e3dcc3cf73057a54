import type { Group } from '@wabakit/server/control-types'
import { showText } from '../format/mask.ts'
import type { ListDefinition } from '../list/list-definition.ts'
import { Time, timeWidth } from '../parts/time.tsx'
import { numberFilter, timeFilter } from './filters.ts'

export const groups: ListDefinition<Group> = {
  view: 'groups',
  title: 'Groups',
  source: (id) => ({ path: `/organizations/${encodeURIComponent(id)}/groups` }),
  getId: ({ groupId }) => groupId,
  getTime: ({ createdAt }) => createdAt,
  searches: 'subjects and ids',
  filters: [numberFilter, timeFilter],
  columns: [
    {
      title: 'Subject',
      width: 'minmax(130px, 1.4fr)',
      cell: ({ subject }) => <span class="name">{showText(subject)}</span>,
    },
    {
      title: 'Group',
      width: 'minmax(110px, 1fr)',
      cell: ({ groupId }) => <span class="id">{groupId}</span>,
      isExtra: 'below',
    },
    { title: 'Number', width: 'minmax(110px, 1fr)', cell: ({ wabaNumber }) => wabaNumber, isExtra: true },
    {
      title: 'Joining',
      width: 'minmax(120px, 1fr)',
      cell: ({ joinApprovalMode }) => joinApprovalMode.replaceAll('_', ' '),
      isExtra: true,
    },
    { title: 'Time', width: timeWidth, cell: ({ createdAt }) => <Time at={createdAt} /> },
  ],
  isChangedBy: (message) => message.type === 'event' && message.event.name === 'GROUP_CREATED',
  empty: {
    title: 'No groups yet',
    text: 'Create a key, then a group through the API:',
    commands: [
      'wabakit key create',
      `curl -H 'authorization: <the key>' --json '{"wabaNumber":"<your number>","subject":"Team"}' ${location.origin}/whatsapp/wa-group/create`,
    ],
  },
}
