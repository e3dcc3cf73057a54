import { CreateGroupRequest } from '@wabakit/contract'
import * as z from 'zod/mini'
import { notFound } from '../not-found.ts'
import { operation } from '../operation.ts'
import { named } from '../schema-names.ts'
import { phoneNumber } from '../texts.ts'
import { GroupView, showGroup } from '../views/group.ts'
import { ParticipantView, showParticipant } from '../views/participant.ts'

const tag = 'Groups'

const ParticipantStep = named(
  'ParticipantStepRequest',
  'Who shall have joined, left, or been removed from which group.',
  z.strictObject({ groupId: z.string(), phone: phoneNumber(), state: z.enum(['joined', 'left', 'removed']) }),
)

const CreatedGroup = named(
  'CreatedGroup',
  'The group. `repeated`: the same request had created it before, and nothing happened.',
  z.object({ groupId: z.string(), outcome: z.enum(['created', 'repeated']) }),
)

const steps = { joined: 'join', left: 'leave', removed: 'remove' } as const

/** Operations on groups and their participants. */
export const groupOperations = [
  operation({
    id: 'createGroup',
    method: 'POST',
    path: '/organizations/:organizationId/groups',
    summary: 'Create a group as the public API does, without a key',
    tag,
    body: named('NewGroupRequest', 'The request of the public API.', CreateGroupRequest),
    result: CreatedGroup,
    status: 201,
    run: async ({ parameter, body }, { service }) => {
      const { groupId, outcome } = await service.groups.create(parameter('organizationId'), body)
      return { groupId, outcome }
    },
  }),
  operation({
    id: 'getGroup',
    method: 'GET',
    path: '/organizations/:organizationId/groups/:groupId',
    summary: 'A group',
    tag,
    result: GroupView,
    run: async ({ parameter }, { service }) => {
      const groupId = parameter('groupId')
      const found = await service.groups.find(parameter('organizationId'), groupId)
      if (found === undefined) throw notFound('group', groupId)
      return showGroup(found)
    },
  }),
  operation({
    id: 'simulateParticipant',
    method: 'POST',
    path: '/organizations/:organizationId/participants',
    summary: 'Let somebody join or leave a group, or be removed from it',
    tag,
    body: ParticipantStep,
    result: ParticipantView,
    run: async ({ parameter, body: { state, ...who } }, { service }) =>
      showParticipant(await service.participants[steps[state]](parameter('organizationId'), who)),
  }),
]
