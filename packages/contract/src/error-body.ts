import type * as wire from '@wabakit/wire'
import { type ErrorCode, type ErrorStatus, errorCodes, isErrorCode } from '@wabakit/wire'
import { receivedErrorBodyRule } from '@wabakit/wire/definitions'
import * as z from 'zod/mini'
import { Issue } from './issue.ts'
import { createSchema, type ObjectSchema } from './schema.ts'

/**
 * Body of every error response of the reference server's public API, and of 202 (`summary_pending`).
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
  /** A machine-readable code. */
  code: ErrorCode
  /** The invalid fields, if any. */
  issues?: Issue[] | undefined
}

const defineErrorBody = () =>
  z.looseObject({
    statusCode: z.number(),
    error: z.string(),
    message: z.string(),
    code: z.enum(Object.keys(errorCodes).filter(isErrorCode)),
    issues: z.optional(z.array(Issue)),
  })

/** Schema of {@link ErrorBody}. */
export const ErrorBody: ObjectSchema<ErrorBody> = /* @__PURE__ */ defineErrorBody()

/**
 * Error body from any server with this API. Every field may be missing, `message` may be an array, and `code`
 * may be unknown. Fields of other types are dropped, so parsing fails only if the body is not an object.
 *
 * @interface
 */
export type ReceivedErrorBody = wire.ReceivedErrorBody

/** Schema of {@link ReceivedErrorBody}. */
export const ReceivedErrorBody: ObjectSchema<ReceivedErrorBody> =
  /* @__PURE__ */ createSchema(receivedErrorBodyRule)

/** The reason phrase of each status in {@link errorCodes}: the `error` of an error body (RFC 9110 and RFC 6585). */
export const reasonPhrases: Readonly<Record<ErrorStatus, string>> = {
  202: 'Accepted',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}
