import { CreateGroupRequest, createGroupErrorCodes, toIssues } from '@wabakit/contract'
import { RequestRefusedError } from '../errors/request-refused-error.ts'

const omitUnknownFields = (body: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([name]) => Object.hasOwn(createGroupErrorCodes, name)))

/**
 * Parses the body of a create request. Unknown fields are ignored.
 *
 * @throws RequestRefusedError if the body is not an object (`invalid_body`) or fields are invalid. The code is that of the
 * first invalid field, and `issues` lists all of them.
 */
export const parseCreateGroup = (body: unknown): CreateGroupRequest => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new RequestRefusedError('invalid_body', 'The body must be a JSON object.')
  }
  const parsed = CreateGroupRequest.safeParse(omitUnknownFields(body))
  if (parsed.success) return parsed.data
  const issues = toIssues(parsed.error)
  const [, code = 'invalid_body'] =
    Object.entries(createGroupErrorCodes).find(([field]) => issues.some(({ path }) => path === field)) ?? []
  const sentences = issues.map(({ message }) => message).join('; ')
  throw new RequestRefusedError(code, `${sentences}.`, { issues })
}
