import type { Group } from '@wabakit/server/control-types'
import { showText } from '../format/mask.ts'
import type { DetailProps } from '../list/list-view.tsx'
import { Facts } from '../parts/facts.tsx'
import { Time } from '../parts/time.tsx'
import { SubjectDetail } from './subject-detail.tsx'

export const GroupDetail = ({ id }: DetailProps<Group>) => (
  <SubjectDetail
    kind="group"
    id={id}
    title={(timeline) => (timeline?.group ? showText(timeline.group.subject) : `Group ${id}`)}
    facts={({ group }) =>
      group && (
        <Facts
          isInline
          facts={{
            'Group id': <span class="id">{id}</span>,
            Number: group.wabaNumber,
            Joining: group.joinApprovalMode.replaceAll('_', ' '),
            Description: group.description && showText(group.description),
            'Invite link': group.inviteLink && showText(group.inviteLink),
            Created: <Time at={group.createdAt} />,
          }}
        />
      )
    }
  />
)
