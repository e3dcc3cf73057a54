import * as z from 'zod/mini'
import { ParticipantInput } from '../../groups/participants.ts'
import { requireFound } from '../../hosting/control-error.ts'
import type { GroupRecord, Page, ReferenceServer } from '../../index.ts'
import { optional, phoneNumber } from '../../values/input-schemas.ts'
import { groupId, recordFilter, text } from '../filters.ts'
import { operationIn } from '../operation.ts'
import { named, page, pageQuery, showPage } from '../schemas.ts'
import { GroupView, ListedGroupView, ParticipantView, showGroup, showParticipant } from '../views/group.ts'

const operation = operationIn('Groups')

const ParticipantStep = named(
  'ParticipantStepRequest',
  'The new state of a person in a group.',
  z.extend(ParticipantInput, {
    state: z.enum(['joined', 'left', 'removed']).check(z.describe('What happened to the participant.')),
  }),
)

const GroupFilter = z.strictObject({
  ...pageQuery,
  ...recordFilter,
  group: optional(groupId, 'Id of the group.'),
  participant: optional(
    phoneNumber,
    'Number of a person who is or was in the group. No other filter applies.',
  ),
  text: z.optional(text("Part of a group's id or subject, ignoring the case of ASCII letters.")),
})

const readGroups = async (
  { groups, participants }: Pick<ReferenceServer, 'groups' | 'participants'>,
  organizationId: string,
  { number, group: id, participant, ...rest }: z.infer<typeof GroupFilter>,
): Promise<Page<GroupRecord>> => {
  if (id === undefined && participant === undefined)
    return groups.list(organizationId, { ...rest, digits: number })
  const memberships =
    participant === undefined ? [] : await participants.memberships(organizationId, participant)
  const ids = participant === undefined ? [id ?? ''] : memberships.map(({ groupId }) => groupId)
  const found = await Promise.all(ids.map((each) => groups.find(organizationId, each)))
  return { items: found.filter((each) => each !== undefined) }
}

const steps = { joined: 'join', left: 'leave', removed: 'remove' } as const

export const groupOperations = [
  operation({
    id: 'listGroups',
    route: 'GET /organizations/:organizationId/groups',
    summary:
      'List groups, newest first; with `participant`, in any order. `group` is the id of the one to list, which may be one that no path can contain',
    query: GroupFilter,
    result: page('ListedGroup', ListedGroupView),
    run: async ({ params: { organizationId }, query }, { service }) => {
      const { items, ...rest } = await readGroups(service, organizationId, query)
      const ids = items.map(({ clientCustomGroupId }) => clientCustomGroupId)
      const counts = await service.participants.count(organizationId, ids)
      return {
        ...rest,
        items: items.map((each, index) => ({ ...showGroup(each), members: counts[index] ?? 0 })),
      }
    },
  }),
  operation({
    id: 'getGroup',
    route: 'GET /organizations/:organizationId/groups/:groupId',
    summary: 'Get a group',
    result: GroupView,
    run: async ({ params: { organizationId, groupId } }, { service }) => {
      const found = await service.groups.find(organizationId, groupId)
      return showGroup(requireFound(found, 'group', groupId))
    },
  }),
  operation({
    id: 'listParticipants',
    route: 'GET /organizations/:organizationId/participants',
    summary: 'List the participants of a group, including those who left or were removed, by their numbers',
    query: z.strictObject({ ...pageQuery, group: groupId.check(z.describe('Id of the group.')) }),
    result: page('Participant', ParticipantView),
    run: async ({ params: { organizationId }, query: { group, ...paging } }, { service }) => {
      requireFound(await service.groups.find(organizationId, group), 'group', group)
      return showPage(
        await service.participants.list(organizationId, { ...paging, groupId: group }),
        showParticipant,
      )
    },
  }),
  operation({
    id: 'simulateParticipant',
    route: 'POST /organizations/:organizationId/participants',
    summary: 'Simulate that a participant joins, leaves or is removed from a group',
    body: ParticipantStep,
    result: ParticipantView,
    run: async ({ params, body: { state, ...who } }, { service }) =>
      showParticipant(await service.participants[steps[state]](params.organizationId, who)),
  }),
]
