import {
  nonEmpty,
  nullable,
  nullish,
  object,
  type Rule,
  type Rules,
  text,
  timeOrEmpty,
  unchecked,
} from './rules.ts'
import type { Flat } from './vocabulary.ts'

/**
 * The fields of every group event. Only `event` and `groupId` are required.
 *
 * @interface
 */
export type GroupEvent<Name extends string> = {
  /** The event's name. */
  event: Name
  /**
   * The group's id, as in the response to the create request. A live service sends null until it can resolve the
   * id.
   */
  groupId: string | null
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

const groupFields = (): Rules<Omit<GroupEvent<string>, 'event'>> => ({
  groupId: nullable(nonEmpty),
  groupName: nullish(text),
  orgId: unchecked(nullable(text)),
  integrationId: unchecked(nullable(text)),
})

const participantFields = (): Rules<Omit<ParticipantEvent<string>, 'event'>> => ({
  ...groupFields(),
  customerPhone: nullish(text),
})

/**
 * A group was created through the create endpoint.
 *
 * @interface
 */
export type GroupCreatedEvent = Flat<
  GroupEvent<'GROUP_CREATED'> & {
    /** Link that lets anyone join the group: treat it as a credential. */
    inviteLink?: string | null | undefined
    /** When the group was created, in ISO 8601. */
    groupCreatedAt?: string | null | undefined
  }
>

export const groupCreatedRule: Rule<Omit<GroupCreatedEvent, 'event'>> = /* @__PURE__ */ object(() => ({
  ...groupFields(),
  inviteLink: nullish(text),
  groupCreatedAt: nullish(timeOrEmpty),
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

export const participantJoinedRule: Rule<Omit<GroupParticipantJoinedEvent, 'event'>> = /* @__PURE__ */ object(
  () => ({
    ...participantFields(),
    participantJoinedAt: nullish(timeOrEmpty),
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

export const participantLeftRule: Rule<Omit<GroupParticipantLeftEvent, 'event'>> = /* @__PURE__ */ object(
  () => ({
    ...participantFields(),
    participantLeftAt: nullish(timeOrEmpty),
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

export const participantRemovedRule: Rule<Omit<GroupParticipantRemovedEvent, 'event'>> =
  /* @__PURE__ */ object(() => ({
    ...participantFields(),
    participantRemovedAt: nullish(timeOrEmpty),
  }))
