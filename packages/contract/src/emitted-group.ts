import { limits } from '@wabakit/wire/definitions'
import * as z from 'zod/mini'
import { nonEmpty, storable } from './text.ts'

export const defineEmittedGroup = <Name extends string>(name: Name) => ({
  /** The event's name. */
  event: z.literal(name),
  /** The group's id, as in the response to the create request. */
  groupId: storable({ min: 1, max: limits.groupIdMaxLength }),
  /** The group's name. */
  groupName: storable({ min: 1, max: limits.subjectMaxLength }),
})

export const defineEmittedParticipant = <Name extends string>(name: Name) => ({
  ...defineEmittedGroup(name),
  /** The participant's phone number. */
  customerPhone: nonEmpty(),
})
