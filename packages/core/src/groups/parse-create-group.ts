import { CreateGroupRequest, type ErrorCode, toIssues } from '@wabakit/contract'
import { RequestRefusedError } from '../errors/request-refused-error.ts'

/** The closed code of each field, in the order of the request table. */
const codes = {
  wabaNumber: 'invalid_waba_number',
  subject: 'invalid_subject',
  description: 'invalid_description',
  joinApprovalMode: 'invalid_join_approval_mode',
  groupId: 'invalid_group_id',
} as const satisfies Record<keyof CreateGroupRequest, ErrorCode>

const fields = Object.keys(codes) as ReadonlyArray<keyof typeof codes>

/** The five fields of the request; unknown ones are ignored. */
const knownFields = (body: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([name]) => Object.hasOwn(codes, name)))

/**
 * A create request from a body.
 *
 * @throws RequestRefusedError when the body is not one JSON object (`invalid_body`), or when fields are invalid: the
 * code is that of the first in the order of the request table, `issues` has them all.
 */
export const parseCreateGroup = (body: unknown): CreateGroupRequest => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new RequestRefusedError('invalid_body', 'The body must be one JSON object.')
  }
  const parsed = CreateGroupRequest.safeParse(knownFields(body))
  if (parsed.success) return parsed.data
  const issues = toIssues(parsed.error)
  const first = fields.find((field) => issues.some(({ path }) => path === field))
  const sentences = issues.map(({ message }) => message).join('; ')
  throw new RequestRefusedError(first === undefined ? 'invalid_body' : codes[first], `${sentences}.`, {
    issues,
  })
}
