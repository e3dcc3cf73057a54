import * as z from 'zod/mini'
import type { ErrorCode } from './error-codes.ts'
import { exact, type ObjectSchema } from './exact.ts'
import { limits } from './limits.ts'
import { nonEmpty, storable } from './text.ts'
import { JoinApprovalMode } from './vocabulary.ts'

/**
 * Body of `POST /whatsapp/wa-group/create`. Strings must be well-formed Unicode without NUL, and their lengths are counted
 * in code points. Unknown fields are ignored.
 *
 * @interface
 */
export type CreateGroupRequest = {
  /** WABA number that owns the group. Must not be empty. Numbers are compared by their digits. */
  wabaNumber: string
  /** The group's name, 1 to 128 characters. */
  subject: string
  /** The group's description, at most 2048 characters. */
  description?: string | undefined
  /** Who may join: anyone with the link, or only people an admin approves. Defaults to the integration's setting. */
  joinApprovalMode?: JoinApprovalMode | undefined
  /** Your id for the group, 1 to 50 characters. The service generates one if you omit it. Webhooks include it. */
  groupId?: string | undefined
}

/** Schema of {@link CreateGroupRequest}. */
export const CreateGroupRequest: ObjectSchema<CreateGroupRequest> = /* @__PURE__ */ exact(() => ({
  wabaNumber: storable({ min: 1 }),
  subject: storable({ min: 1, max: limits.subjectMaxLength }),
  description: z.optional(storable({ max: limits.descriptionMaxLength })),
  joinApprovalMode: z.optional(JoinApprovalMode),
  groupId: z.optional(storable({ min: 1, max: limits.groupIdMaxLength })),
}))

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

/**
 * Response body of `POST /whatsapp/wa-group/create`.
 *
 * @interface
 */
export type CreateGroupResponse = {
  /** Always `true`. */
  success: true
  /** The group's id: yours, or the generated one. All webhooks about the group carry it. */
  groupId: string
}

/** Schema of {@link CreateGroupResponse}. */
export const CreateGroupResponse: ObjectSchema<CreateGroupResponse> = /* @__PURE__ */ exact(() => ({
  success: z.literal(true),
  groupId: nonEmpty(),
}))
