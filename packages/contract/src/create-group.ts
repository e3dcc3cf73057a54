import * as z from 'zod/mini'
import { exact } from './exact.ts'
import { limits } from './limits.ts'
import { text } from './text.ts'
import { JoinApprovalMode } from './vocabulary.ts'

/**
 * Body of `POST /whatsapp/wa-group/create`.
 *
 * - `wabaNumber`: the WABA number on which the group is created; not empty. Compared by its digits.
 * - `subject`: the group's name, 1 to 128 code points.
 * - `description`: at most 2048 code points.
 * - `joinApprovalMode`: the integration's default when omitted.
 * - `groupId`: the client's own id, 1 to 50 code points; generated when omitted. It comes back as `groupId` in the
 *   response and in every webhook of the group.
 *
 * Texts must be well-formed Unicode without NUL. Unknown fields are ignored.
 */
export const CreateGroupRequest = exact({
  wabaNumber: text('wabaNumber', { min: 1 }),
  subject: text('subject', { min: 1, max: limits.subjectMaxLength }),
  description: z.optional(text('description', { max: limits.descriptionMaxLength })),
  joinApprovalMode: z.optional(JoinApprovalMode),
  groupId: z.optional(text('groupId', { min: 1, max: limits.groupIdMaxLength })),
})
export type CreateGroupRequest = z.infer<typeof CreateGroupRequest>

/** Body of a successful create: `groupId` is the supplied id, or the generated one. */
export const CreateGroupResponse = exact({
  success: z.literal(true),
  groupId: z.string().check(z.minLength(1)),
})
export type CreateGroupResponse = z.infer<typeof CreateGroupResponse>
