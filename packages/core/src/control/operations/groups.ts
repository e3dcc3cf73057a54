import { CreateGroupRequest } from '@wabakit/contract'
import * as z from 'zod/mini'
import { ParticipantInput } from '../../groups/participants.ts'
import { requireFound } from '../../hosting/control-error.ts'
import { optional, phoneNumber } from '../../values/input-schemas.ts'
import { groupId, recordFilter, text } from '../filters.ts'
import { operationIn } from '../operation.ts'
import { named, page, pageQuery, showPage } from '../schemas.ts'
import { GroupView, ParticipantView, showGroup, showParticipant } from '../views/group.ts'

const operation = operationIn('Groups')

const ParticipantStep = named(
  'ParticipantStepRequest',
  'The new state of a person in a group.',
  z.extend(ParticipantInput, {
    state: z.enum(['joined', 'left', 'removed']).check(z.describe('What happened to the participant.')),
  }),
)

const CreatedGroup = named(
  'CreatedGroup',
  'The group. `repeated` means that the same request created it earlier, and nothing has changed.',
  z.object({ groupId: z.string(), outcome: z.enum(['created', 'repeated']) }),
)

const steps = { joined: 'join', left: 'leave', removed: 'remove' } as const

export const groupOperations = [
  operation({
    id: 'createGroup',
    route: 'POST /organizations/:organizationId/groups',
    summary: 'Create a group like the public API, but without an API key',
    body: named('NewGroupRequest', 'The request of the public API.', CreateGroupRequest),
    result: CreatedGroup,
    status: 201,
    run: async ({ params, body }, { service }) => {
      const { groupId, outcome } = await service.groups.create(params.organizationId, body)
      return { groupId, outcome }
    },
  }),
  operation({
    id: 'listGroups',
    route: 'GET /organizations/:organizationId/groups',
    summary:
      'List groups, newest first. `group` is the id of the one to list, which may be one that no path can contain',
    query: z.strictObject({
      ...pageQuery,
      ...recordFilter,
      group: optional(groupId, 'Id of the group.'),
      participant: optional(
        phoneNumber,
        'Number of a person who is or was in the group. No other filter applies.',
      ),
      text: z.optional(text("Part of a group's id or subject, ignoring the case of ASCII letters.")),
    }),
    result: page('Group', GroupView),
    run: async ({ params: { organizationId }, query }, { service }) => {
      const { number, group: id, participant, ...rest } = query
      if (participant !== undefined) {
        const memberships = await service.participants.memberships(organizationId, participant)
        const groups = await Promise.all(
          memberships.map(({ groupId }) => service.groups.find(organizationId, groupId)),
        )
        return { items: groups.flatMap((each) => (each === undefined ? [] : showGroup(each))) }
      }
      if (id !== undefined) {
        const found = await service.groups.find(organizationId, id)
        return { items: found === undefined ? [] : [showGroup(found)] }
      }
      const selection = { ...rest, digits: number }
      return showPage(await service.groups.list(organizationId, selection), showGroup)
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
