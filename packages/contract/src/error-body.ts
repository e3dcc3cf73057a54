import { type ErrorCode, errorCodes, isErrorCode, type ReceivedErrorBody as Received } from '@wabakit/wire'
import { receivedErrorBodyRule } from '@wabakit/wire/definitions'
import * as z from 'zod/mini'
import { exact, type ObjectSchema } from './exact.ts'
import { Issue } from './issue.ts'
import { createSchema } from './schema.ts'

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
  /** A human-readable explanation. */
  message: string
  /** A machine-readable code from the closed list. */
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
 * Error body from any server with this API. Every field may be missing, `message` may be an array, and `code` may
 * be unknown. Fields of other types are dropped, so parsing fails only if the body is not an object.
 *
 * @interface
 */
export type ReceivedErrorBody = Received

/** Schema of {@link ReceivedErrorBody}. */
export const ReceivedErrorBody: ObjectSchema<ReceivedErrorBody> =
  /* @__PURE__ */ createSchema(receivedErrorBodyRule)
