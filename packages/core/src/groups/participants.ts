import type { PublishedEvent } from '@wabakit/contract'
import * as z from 'zod/mini'
import { InputError } from '../errors/operation-errors.ts'
import { RecordNotFoundError } from '../errors/record-errors.ts'
import { toGroupSubject } from '../events/event-log.ts'
import type { GroupRecord, ParticipantRecord } from '../records.ts'
import type { ServerContext } from '../server-context.ts'
import type { MemberQuery, Page } from '../store.ts'
import { getOrganization } from '../tenancy/organizations.ts'
import { type ActionOf, step } from '../transitions.ts'
import { checkNumbers } from '../values/check-numbers.ts'
import { readWallClock, toUtcTimestamp } from '../values/clock.ts'
import { parseInput, phoneNumber } from '../values/input-schemas.ts'
import { findOwnNumber, parseDigits } from '../values/phone-number.ts'
import { checkIdentifiers, checkTexts } from '../values/storable-text.ts'

/** A person in a group. */
export const ParticipantInput = z.strictObject({
  /** The `groupId` of the create request, or the generated one. */
  groupId: z.string().check(z.describe('The id of the group.')),
  /** The person's phone number, which is compared by its digits. */
  phone: phoneNumber.check(z.describe('Number of the participant.')),
})
export type ParticipantInput = z.infer<typeof ParticipantInput>

/**
 * The participants of groups. Each action publishes its event. It throws `IllegalTransitionError` if
 * `participantTransitions` does not allow it, `RecordNotFoundError` if there is no such group or organization, and
 * `InputError` if the group's number has been removed from the organization. Every method throws `InputError` if an
 * argument is invalid.
 */
export type Participants = {
  /** Adds a person to a group, and publishes GROUP_PARTICIPANT_JOINED. */
  join(organizationId: string, input: ParticipantInput): Promise<ParticipantRecord>
  /** Records that a participant leaves, and publishes GROUP_PARTICIPANT_LEFT. */
  leave(organizationId: string, input: ParticipantInput): Promise<ParticipantRecord>
  /** Removes a participant, and publishes GROUP_PARTICIPANT_REMOVED. */
  remove(organizationId: string, input: ParticipantInput): Promise<ParticipantRecord>
  /** Finds a participant, including one who left or was removed; `undefined` if there is none. */
  find(organizationId: string, input: ParticipantInput): Promise<ParticipantRecord | undefined>
  /** Lists the participants of a group, including those who left or were removed, in the order of their digits. */
  list(organizationId: string, query: Omit<MemberQuery, 'organizationId'>): Promise<Page<ParticipantRecord>>
  /** Counts the participants who are in each of these groups now, in the same order. */
  count(organizationId: string, groupIds: readonly string[]): Promise<number[]>
  /** Lists the groups that a person is or was in, as a participant of each. */
  memberships(organizationId: string, phone: string): Promise<ParticipantRecord[]>
}

const buildEvent = (
  { clientCustomGroupId: groupId, subject: groupName }: GroupRecord,
  { state, phone: customerPhone, changedAt }: ParticipantRecord,
): PublishedEvent => {
  const about = { groupId, groupName, customerPhone }
  const at = toUtcTimestamp(changedAt)
  switch (state) {
    case 'joined':
      return { event: 'GROUP_PARTICIPANT_JOINED', ...about, participantJoinedAt: at }
    case 'left':
      return { event: 'GROUP_PARTICIPANT_LEFT', ...about, participantLeftAt: at }
    case 'removed':
      return { event: 'GROUP_PARTICIPANT_REMOVED', ...about, participantRemovedAt: at }
  }
}

export const createParticipants = ({ store, clock, log }: ServerContext): Participants => {
  const move =
    (action: ActionOf<'participant'>) =>
    async (organizationId: string, input: ParticipantInput): Promise<ParticipantRecord> => {
      const { groupId, phone } = parseInput(ParticipantInput, input)
      const digits = parseDigits(phone, 'phone')
      checkTexts({ groupId })
      const organization = await getOrganization(store, organizationId)
      const group = await store.findGroup(organizationId, groupId)
      if (group === undefined) throw new RecordNotFoundError('group', groupId)
      if (findOwnNumber(organization, 'WHATSAPP', group.wabaNumber) === undefined) {
        const message = `must be a group on a number of the organization; ${group.wabaNumber} has been removed from it`
        throw new InputError([{ path: 'groupId', message }])
      }
      for (;;) {
        const current = await store.findParticipant({ organizationId, groupId, digits })
        const participant: ParticipantRecord = {
          organizationId,
          groupId,
          phone: action === 'join' || current === undefined ? phone : current.phone,
          digits,
          revision: (current?.revision ?? 0) + 1,
          state: step('participant', current?.state ?? 'outside', action),
          changedAt: readWallClock(clock),
        }
        const prepared = log.prepare({
          organizationId,
          subject: toGroupSubject(groupId),
          channel: 'WHATSAPP',
          digits: group.digits,
          occurredAt: clock.now(),
          event: buildEvent(group, participant),
        })
        if ((await store.saveParticipant({ participant, event: prepared.record })) === 'saved') {
          log.report(prepared)
          return participant
        }
      }
    }

  return {
    join: move('join'),
    leave: move('leave'),
    remove: move('remove'),
    find: async (organizationId, { groupId, phone }) => {
      checkIdentifiers({ organizationId })
      checkTexts({ groupId })
      return store.findParticipant({ organizationId, groupId, digits: parseDigits(phone, 'phone') })
    },
    list: async (organizationId, query) => {
      checkIdentifiers({ organizationId })
      checkTexts({ groupId: query.groupId, cursor: query.cursor })
      checkNumbers(query)
      return store.listMembers({ ...query, organizationId })
    },
    count: async (organizationId, groupIds) => {
      checkIdentifiers({ organizationId })
      for (const groupId of groupIds) checkTexts({ groupId })
      return store.countMembers(organizationId, groupIds)
    },
    memberships: async (organizationId, phone) => {
      checkIdentifiers({ organizationId })
      return store.listParticipants(organizationId, parseDigits(phone, 'phone'))
    },
  }
}
