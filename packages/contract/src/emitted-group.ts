import * as z from 'zod/mini'
import { limits } from './limits.ts'
import { nonEmpty, storable } from './text.ts'

/** What every group event is sent with. */
export const emittedGroup = <Name extends string>(name: Name) => ({
  /** The event's name. */
  event: z.literal(name),
  /** The group's id: the `groupId` of the create response. */
  groupId: storable({ min: 1, max: limits.groupIdMaxLength }),
  /** The group's name. */
  groupName: storable({ min: 1, max: limits.subjectMaxLength }),
})

/** What every event about a participant is sent with. */
export const emittedParticipant = <Name extends string>(name: Name) => ({
  ...emittedGroup(name),
  /** The participant's phone number. */
  customerPhone: nonEmpty(),
})
