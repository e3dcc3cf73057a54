/** Anything with a `debug` method: `console`, or an adapter of one line to your logger. */
export type Logger = {
  /**
   * Gets one line per attempt, such as `POST /whatsapp/wa-group/create 200 in 12 ms (attempt 1, request req_1)`,
   * and the same as fields.
   */
  debug(message: string, fields: LogFields): void
}

/** What a log line is made of. */
export type LogFields = {
  /** HTTP method. */
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** HTTP status; absent when no answer came. */
  readonly status?: number
  /** Name of the error; absent when an answer came. */
  readonly error?: string
  /** Duration of the attempt in milliseconds, rounded. */
  readonly ms: number
  /** Number of the attempt, from 1. */
  readonly attempt: number
  /** The answer's `x-request-id`. */
  readonly requestId?: string
}
