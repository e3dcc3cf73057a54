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

/**
 * Fields of a group's event. Only `event` and `groupId` are sure to be there.
 *
 * @interface
 */
export type GroupEventShape<Name extends string> = {
  /** The event's name. */
  event: z.ZodMiniLiteral<Name>
} & ReturnType<typeof group>

const participant = () => ({
  /** The participant's phone number. */
  customerPhone: z.nullish(z.string()),
})

/**
 * The field of an event about a participant.
 *
 * @interface
 */
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

/** Schema of {@link GroupCreatedEvent}. */
export const GroupCreatedEvent = /* @__PURE__ */ groupEvent('GROUP_CREATED', () => ({
  /** Lets anyone who has it join: treat it as a credential. */
  inviteLink: z.nullish(z.string()),
  /** When the group was created, ISO 8601. */
  groupCreatedAt: z.nullish(TimestampOrEmpty),
}))

/**
 * A group was created through the create endpoint.
 *
 * @interface
 */
export type GroupCreatedEvent = z.infer<typeof GroupCreatedEvent>

/** Schema of {@link GroupParticipantJoinedEvent}. */
export const GroupParticipantJoinedEvent = /* @__PURE__ */ participantEvent(
  'GROUP_PARTICIPANT_JOINED',
  () => ({
    /** When the participant joined, ISO 8601. */
    participantJoinedAt: z.nullish(TimestampOrEmpty),
  }),
)
/**
 * A participant joined the group.
 *
 * @interface
 */
export type GroupParticipantJoinedEvent = z.infer<typeof GroupParticipantJoinedEvent>

/** Schema of {@link GroupParticipantLeftEvent}. */
export const GroupParticipantLeftEvent = /* @__PURE__ */ participantEvent('GROUP_PARTICIPANT_LEFT', () => ({
  /** When the participant left, ISO 8601. */
  participantLeftAt: z.nullish(TimestampOrEmpty),
}))

/**
 * A participant left the group.
 *
 * @interface
 */
export type GroupParticipantLeftEvent = z.infer<typeof GroupParticipantLeftEvent>

/** Schema of {@link GroupParticipantRemovedEvent}. */
export const GroupParticipantRemovedEvent = /* @__PURE__ */ participantEvent(
  'GROUP_PARTICIPANT_REMOVED',
  () => ({
    /** When the participant was removed, ISO 8601. */
    participantRemovedAt: z.nullish(TimestampOrEmpty),
  }),
)
/**
 * A participant was removed from the group.
 *
 * @interface
 */
export type GroupParticipantRemovedEvent = z.infer<typeof GroupParticipantRemovedEvent>
