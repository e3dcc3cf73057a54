/** A logger: anything with a `debug` method, such as `console`, pino or winston. */
export type Logger = {
  /** Receives one object per attempt, the only argument that all of them take without losing a field. */
  debug(fields: LogFields): void
}

/** The fields of a log line. */
export type LogFields = {
  /** Such as `POST /whatsapp/wa-group/create 200 in 12 ms (attempt 1, request req_1)`. */
  readonly message: string
  /** HTTP method. */
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** HTTP status; absent if there was no response. */
  readonly status?: number
  /** Name of the error; absent if there was a response. */
  readonly error?: string
  /** Duration of the attempt in milliseconds, rounded. */
  readonly ms: number
  /** Number of the attempt, from 1. */
  readonly attempt: number
  /** The response's `x-request-id`. */
  readonly requestId?: string
}
