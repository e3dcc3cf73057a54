import * as z from 'zod/mini'
import { type Exact, exact } from './exact.ts'
import { nonEmpty } from './text.ts'
import { TimestampOrEmpty } from './timestamp.ts'

const group = () => ({
  /** The group's id: the `groupId` of the create response. */
  groupId: nonEmpty(),
  /** The group's name. */
  groupName: z.nullish(z.string()),
  // Seen on a live service of this interface, without a published type.
  /** The service's id of the organization. */
  orgId: z.optional(z.unknown()),
  /** The service's id of the integration. */
  integrationId: z.optional(z.unknown()),
})

/** Fields of a group's event. Only `event` and `groupId` are sure to be there. */
export type GroupEventShape<Name extends string> = {
  /** The event's name. */
  event: z.ZodMiniLiteral<Name>
} & ReturnType<typeof group>

const participant = () => ({
  /** The participant's phone number. */
  customerPhone: z.nullish(z.string()),
})

/** The field of an event about a participant. */
export type ParticipantShape = ReturnType<typeof participant>

const groupEvent = <Name extends string, Fields extends z.core.$ZodShape>(
  name: Name,
  fields: () => Fields,
): Exact<GroupEventShape<Name> & Fields> => exact(() => ({ event: z.literal(name), ...group(), ...fields() }))

const participantEvent = <Name extends string, Fields extends z.core.$ZodShape>(
  name: Name,
  fields: () => Fields,
): Exact<GroupEventShape<Name> & ParticipantShape & Fields> =>
  exact(() => ({ event: z.literal(name), ...group(), ...participant(), ...fields() }))

/** A group was created through the create endpoint. */
export const GroupCreatedEvent = /* @__PURE__ */ groupEvent('GROUP_CREATED', () => ({
  /** Lets anyone who has it join: treat it as a credential. */
  inviteLink: z.nullish(z.string()),
  /** When the group was created, ISO 8601. */
  groupCreatedAt: z.nullish(TimestampOrEmpty),
}))
export type GroupCreatedEvent = z.infer<typeof GroupCreatedEvent>

/** A participant joined the group. */
export const GroupParticipantJoinedEvent = /* @__PURE__ */ participantEvent(
  'GROUP_PARTICIPANT_JOINED',
  () => ({
    /** When the participant joined, ISO 8601. */
    participantJoinedAt: z.nullish(TimestampOrEmpty),
  }),
)
export type GroupParticipantJoinedEvent = z.infer<typeof GroupParticipantJoinedEvent>

/** A participant left the group. */
export const GroupParticipantLeftEvent = /* @__PURE__ */ participantEvent('GROUP_PARTICIPANT_LEFT', () => ({
  /** When the participant left, ISO 8601. */
  participantLeftAt: z.nullish(TimestampOrEmpty),
}))
export type GroupParticipantLeftEvent = z.infer<typeof GroupParticipantLeftEvent>

/** A participant was removed from the group. */
export const GroupParticipantRemovedEvent = /* @__PURE__ */ participantEvent(
  'GROUP_PARTICIPANT_REMOVED',
  () => ({
    /** When the participant was removed, ISO 8601. */
    participantRemovedAt: z.nullish(TimestampOrEmpty),
  }),
)
export type GroupParticipantRemovedEvent = z.infer<typeof GroupParticipantRemovedEvent>
