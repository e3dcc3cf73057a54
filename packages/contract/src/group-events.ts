import type * as wire from '@wabakit/wire'
import * as z from 'zod/mini'
import { exact, type ObjectSchema } from './exact.ts'
import { nonEmpty } from './text.ts'
import { TimestampOrEmpty } from './timestamp.ts'
import { unchecked } from './unchecked.ts'

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
export type GroupCreatedEvent = wire.GroupCreatedEvent

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
export type GroupParticipantJoinedEvent = wire.GroupParticipantJoinedEvent

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
export type GroupParticipantLeftEvent = wire.GroupParticipantLeftEvent

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
export type GroupParticipantRemovedEvent = wire.GroupParticipantRemovedEvent

/** Schema of {@link GroupParticipantRemovedEvent}. */
export const GroupParticipantRemovedEvent: ObjectSchema<GroupParticipantRemovedEvent> = /* @__PURE__ */ exact(
  () => ({
    ...defineParticipantEvent('GROUP_PARTICIPANT_REMOVED'),
    participantRemovedAt: z.nullish(TimestampOrEmpty),
  }),
)
