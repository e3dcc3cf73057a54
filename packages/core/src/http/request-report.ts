import type { EndpointName } from '@wabakit/contract'
import type { CallerRecord } from '../records.ts'

/** A request to the public API, and its outcome. It contains neither the key nor the body. */
export type RequestReported = {
  /** The `x-request-id` of the response. */
  readonly requestId: string
  /** Start of the request, as Unix time in milliseconds. */
  readonly startedAt: number
  readonly durationMs: number
  readonly method: string
  /** The path, without the query. */
  readonly path: string
  /** The endpoint; `null` for any other path. */
  readonly endpoint: EndpointName | null
  /** `null` if the request had no valid key. */
  readonly caller: CallerRecord | null
  readonly status: number
  /** The error code of the response; `null` for a success. */
  readonly code: string | null
  /** The group or call that the request named, if the id is valid. */
  readonly groupId: string | null
  readonly callId: string | null
  /** Set if the same request had already created the group. */
  readonly isRepeated: boolean
}
