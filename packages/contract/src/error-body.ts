import * as z from 'zod/mini'
import { type ErrorCode, errorCodes, isErrorCode } from './error-codes.ts'
import { exact } from './exact.ts'
import { Issue } from './issue.ts'

/** Schema of {@link ErrorBody}. */
export const ErrorBody = /* @__PURE__ */ exact(() => ({
  /** The HTTP status. */
  statusCode: z.number(),
  /** The status's reason phrase, such as `Bad Request`. */
  error: z.string(),
  /** What went wrong, for people. */
  message: z.string(),
  /** What went wrong, for programs: a code from the closed list. */
  code: z.enum(Object.keys(errorCodes).filter(isErrorCode)) as z.ZodMiniType<ErrorCode>,
  /** The invalid fields, if any. */
  issues: z.optional(z.array(Issue)),
}))

/**
 * Body of every error response of the reference server, and of 202 (`summary_pending`).
 *
 * @interface
 */
export type ErrorBody = z.infer<typeof ErrorBody>

/** An optional field that is dropped if it does not match the schema. */
const droppable = <Schema extends z.core.$ZodType>(schema: Schema) =>
  z.optional(
    z
      .custom<z.output<Schema> | undefined>()
      .check(z.overwrite((value) => (z.safeParse(schema, value).success ? value : undefined))),
  )

/** Schema of {@link ReceivedErrorBody}. */
export const ReceivedErrorBody = /* @__PURE__ */ exact(() => ({
  /** The HTTP status. */
  statusCode: droppable(z.number()),
  /** The status's reason phrase. */
  error: droppable(z.string()),
  /** What went wrong, for people: one sentence or several. */
  message: droppable(z.union([z.string(), z.array(z.string())])),
  /** What went wrong, for programs. The reference server sends codes from a closed list. */
  code: droppable(z.string()),
  /** The invalid fields. */
  issues: droppable(z.array(Issue)),
}))

/**
 * Error body from any server of this interface. Every field may be missing, `message` may be an array, and `code` may be
 * unknown. A field of the wrong type is dropped, so parsing fails only if the body is not an object.
 *
 * @interface
 */
export type ReceivedErrorBody = z.infer<typeof ReceivedErrorBody>
