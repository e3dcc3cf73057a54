import { choice, nonEmpty, object, optional, type Rule, storable } from './rules.ts'
import { type JoinApprovalMode, joinApprovalModes } from './vocabulary.ts'

/**
 * Limits of the service. Lengths are in Unicode code points, like JSON Schema's `maxLength`, not in UTF-16 code units: a
 * subject of 128 emoji is valid.
 */
export const limits = {
  /** Maximum length of a group's subject, in code points. */
  subjectMaxLength: 128,
  /** Maximum length of a group's description, in code points. */
  descriptionMaxLength: 2048,
  /** Maximum length of a group id, in code points. */
  groupIdMaxLength: 50,
  /** Maximum size of the body of a create request, in bytes. */
  requestBodyMaxBytes: 65_536,
} as const

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
  /** Determines who may join: anyone with the link, or only people an admin approves. Default: the integration's setting. */
  joinApprovalMode?: JoinApprovalMode | undefined
  /** Your id for the group, 1 to 50 characters. The service generates one if you omit it. Webhooks include it. */
  groupId?: string | undefined
}

export const createGroupRequestRule: Rule<CreateGroupRequest> = /* @__PURE__ */ object(() => ({
  wabaNumber: storable(1),
  subject: storable(1, limits.subjectMaxLength),
  description: optional(storable(0, limits.descriptionMaxLength)),
  joinApprovalMode: optional(choice(...joinApprovalModes)),
  groupId: optional(storable(1, limits.groupIdMaxLength)),
}))

/**
 * Response body of `POST /whatsapp/wa-group/create`.
 *
 * @interface
 */
export type CreateGroupResponse = {
  /** Always `true`. */
  success: true
  /** The group's id: yours, or the generated one. Webhooks about the group carry it; a live service may first send null. */
  groupId: string
}

export const createGroupResponseRule: Rule<CreateGroupResponse> = /* @__PURE__ */ object(() => ({
  success: choice(true),
  groupId: nonEmpty,
}))
