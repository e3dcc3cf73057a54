import * as z from 'zod/mini'
import { exact, type ObjectSchema } from './exact.ts'
import type { Flat } from './flat.ts'
import { nonEmpty } from './text.ts'
import { TimestampOrEmpty } from './timestamp.ts'
import { unchecked } from './unchecked.ts'

/**
 * The fields of every group event. Only `event` and `groupId` are required.
 *
 * @interface
 */
export type GroupEvent<Name extends string> = {
  /** The event's name. */
  event: Name
  /** The group's id, as in the response to the create request. */
  groupId: string
  /** The group's name. */
  groupName?: string | null | undefined
  /** The service's id for the organization. */
  orgId?: string | null | undefined
  /** The service's id for the integration. */
  integrationId?: string | null | undefined
}

/**
 * The fields of every event about a participant.
 *
 * @interface
 */
export type ParticipantEvent<Name extends string> = Flat<
  GroupEvent<Name> & {
    /** The participant's phone number. */
    customerPhone?: string | null | undefined
  }
>

const defineGroupEvent = <Name extends string>(name: Name) => ({
  event: z.literal(name),
  groupId: nonEmpty(),
  groupName: z.nullish(z.string()),
  orgId: unchecked(z.nullable(z.string())),
  integrationId: unchecked(z.nullable(z.string())),
})

const defineParticipantEvent = <Name extends string>(name: Name) => ({
  ...defineGroupEvent(name),
  customerPhone: z.nullish(z.string()),
})

/**
 * A group was created through the create endpoint.
 *
 * @interface
 */
export type GroupCreatedEvent = Flat<
  GroupEvent<'GROUP_CREATED'> & {
    /** Link with which anyone can join the group: treat it as a credential. */
    inviteLink?: string | null | undefined
    /** When the group was created, in ISO 8601. */
    groupCreatedAt?: string | null | undefined
  }
>

/** Schema of {@link GroupCreatedEvent}. */
export const GroupCreatedEvent: ObjectSchema<GroupCreatedEvent> = /* @__PURE__ */ exact(() => ({
  ...defineGroupEvent('GROUP_CREATED'),
  inviteLink: z.nullish(z.string()),
  groupCreatedAt: z.nullish(TimestampOrEmpty),
}))

/**
 * A participant joined the group.
 *
 * @interface
 */
export type GroupParticipantJoinedEvent = Flat<
  ParticipantEvent<'GROUP_PARTICIPANT_JOINED'> & {
    /** When the participant joined, in ISO 8601. */
    participantJoinedAt?: string | null | undefined
  }
>

/** Schema of {@link GroupParticipantJoinedEvent}. */
export const GroupParticipantJoinedEvent: ObjectSchema<GroupParticipantJoinedEvent> = /* @__PURE__ */ exact(
  () => ({
    ...defineParticipantEvent('GROUP_PARTICIPANT_JOINED'),
    participantJoinedAt: z.nullish(TimestampOrEmpty),
  }),
)

/**
 * A participant left the group.
 *
 * @interface
 */
export type GroupParticipantLeftEvent = Flat<
  ParticipantEvent<'GROUP_PARTICIPANT_LEFT'> & {
    /** When the participant left, in ISO 8601. */
    participantLeftAt?: string | null | undefined
  }
>

/** Schema of {@link GroupParticipantLeftEvent}. */
export const GroupParticipantLeftEvent: ObjectSchema<GroupParticipantLeftEvent> = /* @__PURE__ */ exact(
  () => ({
    ...defineParticipantEvent('GROUP_PARTICIPANT_LEFT'),
    participantLeftAt: z.nullish(TimestampOrEmpty),
  }),
)

/**
 * A participant was removed from the group.
 *
 * @interface
 */
export type GroupParticipantRemovedEvent = Flat<
  ParticipantEvent<'GROUP_PARTICIPANT_REMOVED'> & {
    /** When the participant was removed, in ISO 8601. */
    participantRemovedAt?: string | null | undefined
  }
>

/** Schema of {@link GroupParticipantRemovedEvent}. */
export const GroupParticipantRemovedEvent: ObjectSchema<GroupParticipantRemovedEvent> = /* @__PURE__ */ exact(
  () => ({
    ...defineParticipantEvent('GROUP_PARTICIPANT_REMOVED'),
    participantRemovedAt: z.nullish(TimestampOrEmpty),
  }),
)
