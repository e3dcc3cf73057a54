import * as z from 'zod/mini'
import { exact } from './exact.ts'
import { TimestampOrEmpty } from './timestamp.ts'

const group = {
  groupId: z.string().check(z.minLength(1)),
  groupName: z.optional(z.nullable(z.string())),
  orgId: z.optional(z.nullable(z.string())),
  integrationId: z.optional(z.nullable(z.string())),
}
const participant = { ...group, customerPhone: z.optional(z.string()) }
const time = z.optional(z.nullable(TimestampOrEmpty))

/**
 * A group was created through the create endpoint. `groupId` is the client custom group id of the response.
 * `inviteLink` lets anyone join: treat it as a credential.
 */
export const GroupCreatedEvent = exact({
  event: z.literal('GROUP_CREATED'),
  ...group,
  inviteLink: z.optional(z.nullable(z.string())),
  groupCreatedAt: time,
})
export type GroupCreatedEvent = z.infer<typeof GroupCreatedEvent>

/** A participant joined the group. */
export const GroupParticipantJoinedEvent = exact({
  event: z.literal('GROUP_PARTICIPANT_JOINED'),
  ...participant,
  participantJoinedAt: time,
})
export type GroupParticipantJoinedEvent = z.infer<typeof GroupParticipantJoinedEvent>

/** A participant left the group. */
export const GroupParticipantLeftEvent = exact({
  event: z.literal('GROUP_PARTICIPANT_LEFT'),
  ...participant,
  participantLeftAt: time,
})
export type GroupParticipantLeftEvent = z.infer<typeof GroupParticipantLeftEvent>

/** A participant was removed from the group. */
export const GroupParticipantRemovedEvent = exact({
  event: z.literal('GROUP_PARTICIPANT_REMOVED'),
  ...participant,
  participantRemovedAt: time,
})
export type GroupParticipantRemovedEvent = z.infer<typeof GroupParticipantRemovedEvent>
