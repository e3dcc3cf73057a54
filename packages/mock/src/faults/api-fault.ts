import * as z from 'zod/mini'

/** Ways in which an answer can go wrong as a whole; a fault has at most one of them. */
const ways = ['reset', 'malformed', 'html', 'truncated', 'offContract'] as const

const milliseconds = () => z.number().check(z.minimum(0))

/**
 * What goes wrong with a request of the public API. Plain data: it can come from a test, from a file, or over HTTP.
 */
export const ApiFault = z
  .strictObject({
    /** Answer this HTTP status, 200 to 599. */
    status: z.optional(z.int().check(z.minimum(200), z.maximum(599))),
    /** The error body's `code`; of the closed list, it also gives the status. */
    code: z.optional(z.string().check(z.minLength(1))),
    /** The error body's `message`. */
    message: z.optional(z.string()),
    /** `Retry-After` in seconds; any text for a malformed or a date one. */
    retryAfterSeconds: z.optional(z.union([z.number(), z.string()])),
    /** Further headers of the answer. */
    headers: z.optional(z.record(z.string(), z.string())),
    /** The whole body in place of the usual one: a text is sent as it is, anything else as JSON. */
    body: z.optional(z.unknown()),
    /** Milliseconds of real time before the answer. */
    latencyMs: z.optional(milliseconds()),
    /** The connection is reset, without an answer. */
    reset: z.optional(z.literal(true)),
    /** The answer's JSON is broken. */
    malformed: z.optional(z.literal(true)),
    /** An HTML error page of a gateway; 502 unless `status` says otherwise. */
    html: z.optional(z.literal(true)),
    /** The connection ends in the middle of the body. */
    truncated: z.optional(z.literal(true)),
    /** A success whose JSON is not that of the contract. */
    offContract: z.optional(z.literal(true)),
    /**
     * Whether the service carries out the request all the same, so that only its answer is lost.
     * @default true for `truncated`, `malformed`, `offContract` and mere latency; otherwise false
     */
    carriedOut: z.optional(z.boolean()),
  })
  .check(
    z.refine((fault) => Object.keys(fault).some((field) => field !== 'carriedOut'), {
      error: 'a fault needs something that goes wrong, such as { status: 429 } or { reset: true }',
    }),
    z.refine((fault) => ways.filter((way) => fault[way]).length <= 1, {
      error: `only one of ${ways.join(', ')} can happen to one answer; add a second fault for the next request`,
    }),
  )
export type ApiFault = z.infer<typeof ApiFault>
