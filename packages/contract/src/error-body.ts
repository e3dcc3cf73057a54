import * as z from 'zod/mini'
import { type ErrorCode, errorCodes, isErrorCode } from './error-codes.ts'
import { exact, type ObjectSchema } from './exact.ts'
import { Issue } from './issue.ts'
import { unchecked } from './unchecked.ts'

/**
 * Body of every error response of the reference server, and of 202 (`summary_pending`).
 *
 * @interface
 */
export type ErrorBody = {
  /** The HTTP status. */
  statusCode: number
  /** The status's reason phrase, such as `Bad Request`. */
  error: string
  /** What went wrong, for people. */
  message: string
  /** What went wrong, for programs: a code from the closed list. */
  code: ErrorCode
  /** The invalid fields, if any. */
  issues?: Issue[] | undefined
}

/** Schema of {@link ErrorBody}. */
export const ErrorBody: ObjectSchema<ErrorBody> = /* @__PURE__ */ exact(() => ({
  statusCode: z.number(),
  error: z.string(),
  message: z.string(),
  code: z.enum(Object.keys(errorCodes).filter(isErrorCode)) as z.ZodMiniType<ErrorCode>,
  issues: z.optional(z.array(Issue)),
}))

/**
 * Error body from any server of this interface. Every field may be missing, `message` may be an array, and `code` may be
 * unknown. A field of another type is left out, so parsing fails only if the body is not an object.
 *
 * @interface
 */
export type ReceivedErrorBody = {
  /** The HTTP status. */
  statusCode?: number | undefined
  /** The status's reason phrase. */
  error?: string | undefined
  /** What went wrong, for people: one sentence or several. */
  message?: string | string[] | undefined
  /** What went wrong, for programs. The reference server sends codes from a closed list. */
  code?: string | undefined
  /** The invalid fields. */
  issues?: Issue[] | undefined
}

/** Schema of {@link ReceivedErrorBody}. */
export const ReceivedErrorBody: ObjectSchema<ReceivedErrorBody> = /* @__PURE__ */ exact(() => ({
  statusCode: unchecked(z.number()),
  error: unchecked(z.string()),
  message: unchecked(z.union([z.string(), z.array(z.string())])),
  code: unchecked(z.string()),
  issues: unchecked(z.array(Issue)),
}))
