import * as z from 'zod/mini'

/** What a participant did. */
export const ParticipantAction = z.enum(['joined', 'left', 'removed'])
export type ParticipantAction = z.infer<typeof ParticipantAction>

/** Who did it, and where. */
export const ParticipantSimulation = z.strictObject({
  /** The group's id: the `groupId` of the create response. */
  groupId: z.string().check(z.minLength(1)),
  /** The participant's phone number. @default made up, for one who joins */
  phone: z.optional(z.string().check(z.minLength(1))),
})
export type ParticipantSimulation = z.infer<typeof ParticipantSimulation>
