import type { Group, ListedGroup } from '@wabakit/server/control-types'
import { Facts } from '../components/facts.tsx'
import { Time, timeWidth } from '../components/time.tsx'
import { Arrivals } from '../detail/arrivals.tsx'
import { Members } from '../detail/members.tsx'
import { SubjectDetail } from '../detail/subject-detail.tsx'
import { showText } from '../format/mask.ts'
import { formatCount } from '../format/numbers.ts'
import type { DetailProps, ListDefinition } from '../list/list-definition.ts'
import { apiUrl } from '../state/route.ts'
import { numberFilter, timeFilter } from './filters.ts'

const formatJoining = ({ joinApprovalMode }: Group): string => joinApprovalMode.replaceAll('_', ' ')

const GroupDetail = ({ id }: DetailProps<ListedGroup>) => (
  <SubjectDetail
    kind="group"
    id={id}
    title={(timeline) => (timeline?.group ? showText(timeline.group.subject) : `Group ${id}`)}
    facts={({ group, endpoints }) =>
      group && (
        <>
          <Arrivals endpoints={endpoints} />
          <Facts
            isInline
            facts={{
              'Group id': <span class="id">{id}</span>,
              Number: group.wabaNumber,
              Joining: formatJoining(group),
              Description: group.description && showText(group.description),
              'Invite link': group.inviteLink && showText(group.inviteLink),
              Created: <Time at={group.createdAt} />,
            }}
          />
          <Members groupId={id} />
        </>
      )
    }
  />
)

export const groups: ListDefinition<ListedGroup> = {
  view: 'groups',
  getId: ({ groupId }) => groupId,
  getTime: ({ createdAt }) => createdAt,
  searches: 'subjects and ids',
  filters: [
    { key: 'participant', label: 'Member', kind: 'text', placeholder: 'any number' },
    numberFilter,
    timeFilter,
  ],
  columns: {
    Subject: {
      width: 'minmax(130px, 1.4fr)',
      cell: ({ subject }) => <span class="name">{showText(subject)}</span>,
      isName: true,
    },
    Group: {
      width: 'minmax(110px, 1.35fr)',
      cell: ({ groupId }) => <span class="id">{groupId}</span>,
      isExtra: 'below',
    },
    Members: {
      width: '72px',
      cell: ({ members }) => <span class="number">{formatCount(members)}</span>,
      isExtra: true,
    },
    Number: { width: 'minmax(110px, 1fr)', cell: ({ wabaNumber }) => wabaNumber, isExtra: true },
    Joining: { width: 'minmax(120px, 1fr)', cell: formatJoining, isExtra: true },
    Time: { width: timeWidth, cell: ({ createdAt }) => <Time at={createdAt} /> },
  },
  isAbout: (message) => message.type === 'event' && message.event.subject.startsWith('group:'),
  Detail: GroupDetail,
  empty: {
    title: 'No groups yet',
    text: 'Create a key, then a group through the API:',
    commands: [
      'wabakit key create',
      `curl -H 'authorization: <the key>' --json '{"wabaNumber":"<your number>","subject":"Team"}' ${apiUrl}/whatsapp/wa-group/create`,
    ],
  },
}
