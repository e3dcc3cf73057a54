import * as z from 'zod/mini'
import type { ErrorCode } from './error-codes.ts'
import { exact } from './exact.ts'
import { Issue } from './issue.ts'

/** Body of every answer of the reference server that is not a success; also of 202 (`summary_pending`). */
export type ErrorBody = {
  /** The HTTP status. */
  statusCode: number
  /** The status's reason phrase, such as `Bad Request`. */
  error: string
  /** A sentence for people. */
  message: string
  /** From the closed list; for programs. */
  code: ErrorCode
  /** What is wrong with which field, when fields are at fault. */
  issues?: Issue[]
}

/**
 * An error body as any server of this interface may send it: every field may be missing, `message` may be an array
 * of sentences, and `code` may come from another list. Fields that do not fit are dropped, never an error.
 */
export const ReceivedErrorBody = exact({
  statusCode: z.catch(z.optional(z.number()), undefined),
  error: z.catch(z.optional(z.string()), undefined),
  message: z.catch(z.optional(z.union([z.string(), z.array(z.string())])), undefined),
  code: z.catch(z.optional(z.string()), undefined),
  issues: z.catch(z.optional(z.array(Issue)), undefined),
})
export type ReceivedErrorBody = z.infer<typeof ReceivedErrorBody>
