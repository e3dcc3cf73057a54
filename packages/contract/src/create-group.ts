import type * as wire from '@wabakit/wire'
import { createGroupRequestRule, createGroupResponseRule } from '@wabakit/wire/definitions'
import { createSchema, type ObjectSchema } from './schema.ts'

/**
 * Body of `POST /whatsapp/wa-group/create`. Strings must be well-formed Unicode without NUL, and their
 * lengths are counted in code points. Unknown fields are ignored.
 *
 * @interface
 */
export type CreateGroupRequest = wire.CreateGroupRequest

/** Schema of {@link CreateGroupRequest}. */
export const CreateGroupRequest: ObjectSchema<CreateGroupRequest> =
  /* @__PURE__ */ createSchema(createGroupRequestRule)

/**
 * The error code for each field of {@link CreateGroupRequest}. An error body has the code of the first invalid field.
 */
export const createGroupErrorCodes = {
  wabaNumber: 'invalid_waba_number',
  subject: 'invalid_subject',
  description: 'invalid_description',
  joinApprovalMode: 'invalid_join_approval_mode',
  groupId: 'invalid_group_id',
} as const satisfies { readonly [Field in keyof CreateGroupRequest]-?: wire.ErrorCode }

/**
 * Response body of `POST /whatsapp/wa-group/create`.
 *
 * @interface
 */
export type CreateGroupResponse = wire.CreateGroupResponse

/** Schema of {@link CreateGroupResponse}. */
export const CreateGroupResponse: ObjectSchema<CreateGroupResponse> =
  /* @__PURE__ */ createSchema(createGroupResponseRule)
