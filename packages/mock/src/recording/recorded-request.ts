import type { EndpointName, ErrorCode } from '@wabakit/contract'
import type { ApiFault } from '../faults/api-fault.ts'

/** A request of the public API, and what became of it. */
export type RecordedRequest = {
  /** Which endpoint it meant; `undefined` when there is no such path. */
  readonly endpoint: EndpointName | undefined
  readonly method: string
  /** Path without the query. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: Headers
  /** The body: JSON parsed, other text as it came, `undefined` when there was none. */
  readonly body: unknown
  /** When, on the mock's clock, as Unix time in milliseconds. */
  readonly at: number
  /** HTTP status of the answer; `undefined` when none was given. */
  readonly status: number | undefined
  /** `ok`, the `code` of the service's answer, or `fault` when the answer is not the service's own. */
  readonly verdict: 'ok' | 'fault' | ErrorCode
  /** The fault that hit it. */
  readonly fault: ApiFault | undefined
}
