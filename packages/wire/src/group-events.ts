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

type ParticipantEventFields<Name extends string> = GroupEvent<Name> & {
  /** The participant's phone number. */
  customerPhone?: string | null | undefined
}

/**
 * The fields of every event about a participant.
 *
 * @interface
 */
export type ParticipantEvent<Name extends string> = {
  [Field in keyof ParticipantEventFields<Name>]: ParticipantEventFields<Name>[Field]
}

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

type GroupCreatedEventFields = GroupEvent<'GROUP_CREATED'> & {
  /** Link with which anyone may join the group, or ask to join: treat it as a credential. */
  inviteLink?: string | null | undefined
  /** When the group was created, in ISO 8601. */
  groupCreatedAt?: string | null | undefined
}

/**
 * A group was created through the create endpoint.
 *
 * @interface
 */
export type GroupCreatedEvent = { [Field in keyof GroupCreatedEventFields]: GroupCreatedEventFields[Field] }

export const groupCreatedRule: Rule<Omit<GroupCreatedEvent, 'event'>> = /* @__PURE__ */ object(() => ({
  ...groupFields(),
  inviteLink: nullish(text),
  groupCreatedAt: nullish(timeOrEmpty),
}))

type GroupParticipantJoinedEventFields = ParticipantEvent<'GROUP_PARTICIPANT_JOINED'> & {
  /** When the participant joined, in ISO 8601. */
  participantJoinedAt?: string | null | undefined
}

/**
 * A participant joined the group.
 *
 * @interface
 */
export type GroupParticipantJoinedEvent = {
  [Field in keyof GroupParticipantJoinedEventFields]: GroupParticipantJoinedEventFields[Field]
}

export const participantJoinedRule: Rule<Omit<GroupParticipantJoinedEvent, 'event'>> = /* @__PURE__ */ object(
  () => ({
    ...participantFields(),
    participantJoinedAt: nullish(timeOrEmpty),
  }),
)

type GroupParticipantLeftEventFields = ParticipantEvent<'GROUP_PARTICIPANT_LEFT'> & {
  /** When the participant left, in ISO 8601. */
  participantLeftAt?: string | null | undefined
}

/**
 * A participant left the group.
 *
 * @interface
 */
export type GroupParticipantLeftEvent = {
  [Field in keyof GroupParticipantLeftEventFields]: GroupParticipantLeftEventFields[Field]
}

export const participantLeftRule: Rule<Omit<GroupParticipantLeftEvent, 'event'>> = /* @__PURE__ */ object(
  () => ({
    ...participantFields(),
    participantLeftAt: nullish(timeOrEmpty),
  }),
)

type GroupParticipantRemovedEventFields = ParticipantEvent<'GROUP_PARTICIPANT_REMOVED'> & {
  /** When the participant was removed, in ISO 8601. */
  participantRemovedAt?: string | null | undefined
}

/**
 * A participant was removed from the group.
 *
 * @interface
 */
export type GroupParticipantRemovedEvent = {
  [Field in keyof GroupParticipantRemovedEventFields]: GroupParticipantRemovedEventFields[Field]
}

export const participantRemovedRule: Rule<Omit<GroupParticipantRemovedEvent, 'event'>> =
  /* @__PURE__ */ object(() => ({
    ...participantFields(),
    participantRemovedAt: nullish(timeOrEmpty),
  }))

/** Any event about a group. */
export type AnyGroupEvent =
  | GroupCreatedEvent
  | GroupParticipantJoinedEvent
  | GroupParticipantLeftEvent
  | GroupParticipantRemovedEvent

type OfName<Name> = Extract<AnyGroupEvent, { event: Name }>

export const groupEventRules: {
  readonly [Name in AnyGroupEvent['event']]: Rule<Omit<OfName<Name>, 'event'>>
} = {
  GROUP_CREATED: groupCreatedRule,
  GROUP_PARTICIPANT_JOINED: participantJoinedRule,
  GROUP_PARTICIPANT_LEFT: participantLeftRule,
  GROUP_PARTICIPANT_REMOVED: participantRemovedRule,
}

// This is a function, because bundlers cannot drop an unused constant with spread fields.
const defineExamples = () => {
  const group = { groupId: 'order-1234', groupName: 'Order 1234' }
  const participant = { ...group, customerPhone: '+12025550143' }

  return {
    GROUP_CREATED: {
      event: 'GROUP_CREATED',
      ...group,
      inviteLink: 'https://chat.example.com/Jx7Qm2',
      groupCreatedAt: '2026-01-05T09:00:00.000Z',
    },
    GROUP_PARTICIPANT_JOINED: {
      event: 'GROUP_PARTICIPANT_JOINED',
      ...participant,
      participantJoinedAt: '2026-01-05T09:05:00.000Z',
    },
    GROUP_PARTICIPANT_LEFT: {
      event: 'GROUP_PARTICIPANT_LEFT',
      ...participant,
      participantLeftAt: '2026-01-06T17:45:00.000Z',
    },
    GROUP_PARTICIPANT_REMOVED: {
      event: 'GROUP_PARTICIPANT_REMOVED',
      ...participant,
      participantRemovedAt: '2026-01-06T17:45:00.000Z',
    },
  } satisfies { readonly [Name in AnyGroupEvent['event']]: OfName<Name> }
}

/** An example of each event about a group, as the reference server sends it. */
export const groupEventExamples = /* @__PURE__ */ defineExamples()
