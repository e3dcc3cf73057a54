import * as z from 'zod/mini'
import { type Exact, exact } from './exact.ts'
import { nonEmpty } from './text.ts'
import { TimestampOrEmpty } from './timestamp.ts'

const defineGroupFields = () => ({
  /** The group's id, as in the response to the create request. */
  groupId: nonEmpty(),
  /** The group's name. */
  groupName: z.nullish(z.string()),
  // A live service sends the next two. Their types are not published.
  /** The service's id for the organization. */
  orgId: z.optional(z.unknown()),
  /** The service's id for the integration. */
  integrationId: z.optional(z.unknown()),
})

/**
 * Schemas of the fields of a group event. Only `event` and `groupId` are required.
 *
 * @interface
 */
export type GroupEventShape<Name extends string> = {
  /** The event's name. */
  event: z.ZodMiniLiteral<Name>
} & ReturnType<typeof defineGroupFields>

const defineParticipantFields = () => ({
  /** The participant's phone number. */
  customerPhone: z.nullish(z.string()),
})

/**
 * Schema of the field that all participant events have.
 *
 * @interface
 */
export type ParticipantShape = ReturnType<typeof defineParticipantFields>

const defineGroupEvent = <Name extends string, Fields extends z.core.$ZodShape>(
  name: Name,
  fields: () => Fields,
): Exact<GroupEventShape<Name> & Fields> =>
  exact(() => ({ event: z.literal(name), ...defineGroupFields(), ...fields() }))

const defineParticipantEvent = <Name extends string, Fields extends z.core.$ZodShape>(
  name: Name,
  fields: () => Fields,
): Exact<GroupEventShape<Name> & ParticipantShape & Fields> =>
  exact(() => ({ event: z.literal(name), ...defineGroupFields(), ...defineParticipantFields(), ...fields() }))

/** Schema of {@link GroupCreatedEvent}. */
export const GroupCreatedEvent = /* @__PURE__ */ defineGroupEvent('GROUP_CREATED', () => ({
  /** Link with which anyone can join the group: treat it as a credential. */
  inviteLink: z.nullish(z.string()),
  /** When the group was created, in ISO 8601. */
  groupCreatedAt: z.nullish(TimestampOrEmpty),
}))

/**
 * A group was created through the create endpoint.
 *
 * @interface
 */
export type GroupCreatedEvent = z.infer<typeof GroupCreatedEvent>

/** Schema of {@link GroupParticipantJoinedEvent}. */
export const GroupParticipantJoinedEvent = /* @__PURE__ */ defineParticipantEvent(
  'GROUP_PARTICIPANT_JOINED',
  () => ({
    /** When the participant joined, in ISO 8601. */
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
export const GroupParticipantLeftEvent = /* @__PURE__ */ defineParticipantEvent(
  'GROUP_PARTICIPANT_LEFT',
  () => ({
    /** When the participant left, in ISO 8601. */
    participantLeftAt: z.nullish(TimestampOrEmpty),
  }),
)

/**
 * A participant left the group.
 *
 * @interface
 */
export type GroupParticipantLeftEvent = z.infer<typeof GroupParticipantLeftEvent>

/** Schema of {@link GroupParticipantRemovedEvent}. */
export const GroupParticipantRemovedEvent = /* @__PURE__ */ defineParticipantEvent(
  'GROUP_PARTICIPANT_REMOVED',
  () => ({
    /** When the participant was removed, in ISO 8601. */
    participantRemovedAt: z.nullish(TimestampOrEmpty),
  }),
)

/**
 * A participant was removed from the group.
 *
 * @interface
 */
export type GroupParticipantRemovedEvent = z.infer<typeof GroupParticipantRemovedEvent>
