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
  /** A sentence for people. */
  message: z.string(),
  /** From the closed list of error codes; for programs. */
  code: z.enum(Object.keys(errorCodes).filter(isErrorCode)) as z.ZodMiniType<ErrorCode>,
  /** What is wrong with which field, when fields are at fault. */
  issues: z.optional(z.array(Issue)),
}))

/**
 * Body of every answer of the reference server that is not a success; also of 202 (`summary_pending`).
 *
 * @interface
 */
export type ErrorBody = z.infer<typeof ErrorBody>

/** A field that is dropped, rather than an error, when it is not what `schema` describes. */
const tolerant = <Schema extends z.core.$ZodType>(schema: Schema) =>
  z.optional(
    z
      .custom<z.output<Schema> | undefined>()
      .check(z.overwrite((value) => (z.safeParse(schema, value).success ? value : undefined))),
  )

/** Schema of {@link ReceivedErrorBody}. */
export const ReceivedErrorBody = /* @__PURE__ */ exact(() => ({
  /** The HTTP status. */
  statusCode: tolerant(z.number()),
  /** The status's reason phrase. */
  error: tolerant(z.string()),
  /** A sentence for people, or several. */
  message: tolerant(z.union([z.string(), z.array(z.string())])),
  /** For programs; from the closed list when the server is of this project. */
  code: tolerant(z.string()),
  /** What is wrong with which field. */
  issues: tolerant(z.array(Issue)),
}))

/**
 * An error body as any server of this interface may send it: every field may be missing, `message` may be an array
 * of sentences, and `code` may come from another list. Fields that do not fit are dropped, never an error.
 *
 * @interface
 */
export type ReceivedErrorBody = z.infer<typeof ReceivedErrorBody>
