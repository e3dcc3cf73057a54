import type { EndpointName, ErrorCode } from '@wabakit/contract'
import type { ApiFault } from '@wabakit/core/simulation'

/** A request to the public API and its outcome. */
export type RecordedRequest = {
  /** The endpoint; `undefined` for an unknown path. */
  readonly endpoint: EndpointName | undefined
  readonly method: string
  /** Path without the query string. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Headers
  /** The body: parsed JSON, other text as received, `undefined` if there was none. */
  readonly body: unknown
  /** Time on the mock's clock, as Unix time in milliseconds. */
  readonly at: number
  /** HTTP status of the response; `undefined` if there was none. */
  readonly status: number | undefined
  /** `ok`, the `code` of the service's error, or `fault` if a fault hit the request. */
  readonly verdict: 'ok' | 'fault' | ErrorCode
  /** The fault that hit the request. */
  readonly fault: ApiFault | undefined
}
