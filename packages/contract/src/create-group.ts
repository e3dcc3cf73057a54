import * as z from 'zod/mini'
import type { ErrorCode } from './error-codes.ts'
import { exact } from './exact.ts'
import { limits } from './limits.ts'
import { nonEmpty, storable } from './text.ts'
import { JoinApprovalMode } from './vocabulary.ts'

/** Schema of {@link CreateGroupRequest}. */
export const CreateGroupRequest = /* @__PURE__ */ exact(() => ({
  /** WABA number that owns the group. Must not be empty. Numbers are compared by their digits. */
  wabaNumber: storable({ min: 1 }),
  /** The group's name, 1 to 128 characters. */
  subject: storable({ min: 1, max: limits.subjectMaxLength }),
  /** The group's description, at most 2048 characters. */
  description: z.optional(storable({ max: limits.descriptionMaxLength })),
  /** Who may join: anyone with the link, or only people an admin approves. Defaults to the integration's setting. */
  joinApprovalMode: z.optional(JoinApprovalMode),
  /** Your id for the group, 1 to 50 characters. The service generates one if you omit it. Webhooks include it. */
  groupId: z.optional(storable({ min: 1, max: limits.groupIdMaxLength })),
}))

/**
 * Body of `POST /whatsapp/wa-group/create`. Strings must be well-formed Unicode without NUL, and their lengths are counted
 * in code points. Unknown fields are ignored.
 *
 * @interface
 */
export type CreateGroupRequest = z.infer<typeof CreateGroupRequest>

/** The error code of each field of {@link CreateGroupRequest}. The code of an error body is that of the first invalid field. */
export const createGroupErrorCodes = {
  /** Code of `wabaNumber`. */
  wabaNumber: 'invalid_waba_number',
  /** Code of `subject`. */
  subject: 'invalid_subject',
  /** Code of `description`. */
  description: 'invalid_description',
  /** Code of `joinApprovalMode`. */
  joinApprovalMode: 'invalid_join_approval_mode',
  /** Code of `groupId`. */
  groupId: 'invalid_group_id',
} as const satisfies { readonly [Field in keyof CreateGroupRequest]-?: ErrorCode }

/** Schema of {@link CreateGroupResponse}. */
export const CreateGroupResponse = /* @__PURE__ */ exact(() => ({
  /** Always `true`. */
  success: z.literal(true),
  /** The group's id: yours, or the generated one. All webhooks about the group carry it. */
  groupId: nonEmpty(),
}))

/**
 * Response body of `POST /whatsapp/wa-group/create`.
 *
 * @interface
 */
export type CreateGroupResponse = z.infer<typeof CreateGroupResponse>
