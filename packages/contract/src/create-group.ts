import * as z from 'zod/mini'
import { exact } from './exact.ts'
import { limits } from './limits.ts'
import { nonEmpty, storable } from './text.ts'
import { JoinApprovalMode } from './vocabulary.ts'

/** Schema of {@link CreateGroupRequest}. */
export const CreateGroupRequest = /* @__PURE__ */ exact(() => ({
  /** WABA number on which the group is created, compared by its digits. Not empty. */
  wabaNumber: storable({ min: 1 }),
  /** The group's name: 1 to 128 characters. */
  subject: storable({ min: 1, max: limits.subjectMaxLength }),
  /** The group's description: at most 2048 characters. */
  description: z.optional(storable({ max: limits.descriptionMaxLength })),
  /** The join request policy; the default of the number's integration when omitted. */
  joinApprovalMode: z.optional(JoinApprovalMode),
  /** Your own id for the group, 1 to 50 characters; generated when omitted. Responses and webhooks carry it. */
  groupId: z.optional(storable({ min: 1, max: limits.groupIdMaxLength })),
}))

/**
 * Body of `POST /whatsapp/wa-group/create`. Texts must be well-formed Unicode without NUL; their lengths count code
 * points. Unknown fields are ignored.
 *
 * @interface
 */
export type CreateGroupRequest = z.infer<typeof CreateGroupRequest>

/** Schema of {@link CreateGroupResponse}. */
export const CreateGroupResponse = /* @__PURE__ */ exact(() => ({
  /** Always true. */
  success: z.literal(true),
  /** The group's id: the supplied one, or the generated one. It joins this response to the group's webhooks. */
  groupId: nonEmpty(),
}))

/**
 * Body of a successful create.
 *
 * @interface
 */
export type CreateGroupResponse = z.infer<typeof CreateGroupResponse>
