import { either, list, number, object, type Rule, text, unchecked } from './rules.ts'
import type { Issue } from './validation.ts'

/**
 * Error body from any server with this API. Every field may be missing, `message` may be an array, and `code` may
 * be unknown. Fields of other types are dropped, so parsing fails only if the body is not an object.
 *
 * @interface
 */
export type ReceivedErrorBody = {
  /** The HTTP status. */
  statusCode?: number | undefined
  /** The status's reason phrase. */
  error?: string | undefined
  /** A human-readable explanation: one sentence or several. */
  message?: string | string[] | undefined
  /** A machine-readable error code. Apart from simulated faults, the reference server sends only documented codes. */
  code?: string | undefined
  /** The invalid fields. */
  issues?: Issue[] | undefined
}

export const issueRule: Rule<Issue> = /* @__PURE__ */ object(() => ({ path: text, message: text }))

export const receivedErrorBodyRule: Rule<ReceivedErrorBody> = /* @__PURE__ */ object(() => ({
  statusCode: unchecked(number),
  error: unchecked(text),
  message: unchecked(either(text, list(text))),
  code: unchecked(text),
  issues: unchecked(list(issueRule)),
}))
