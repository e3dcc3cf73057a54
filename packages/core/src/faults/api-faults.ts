import type { EndpointName } from '@wabakit/contract'
import { InputError } from '../errors/operation-errors.ts'
import type { Random } from '../values/ids.ts'
import { createFaultList, type FaultList, type FaultOptions, type PlannedFault } from './fault-list.ts'

/** A fault for a request to the public API. It is plain data, so that it can come from a file or over HTTP. */
export type ApiFault = {
  /** HTTP status of the response, 200 to 599. */
  readonly status?: number | undefined
  /**
   * The error body's `code`. A code from the closed list also determines the status.
   * @default the last code of the status in `errorCodes`, if any; no code for a 503 without `retryAfterSeconds`
   */
  readonly code?: string | undefined
  /** The error body's `message`. */
  readonly message?: string | undefined
  /** `Retry-After`: seconds, or any text, such as a date or a malformed value. */
  readonly retryAfterSeconds?: number | string | undefined
  /** Additional response headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Replaces the whole body: a string is sent as is, any other value as JSON. */
  readonly body?: unknown
  /** Milliseconds of real time before the response. */
  readonly latencyMs?: number | undefined
  /** Resets the connection without a response. */
  readonly reset?: true | undefined
  /** Sends broken JSON. */
  readonly malformed?: true | undefined
  /** Sends the HTML error page of a gateway, with 502 unless `status` is set. */
  readonly html?: true | undefined
  /** Ends the connection in the middle of the body. */
  readonly truncated?: true | undefined
  /** Sends a success whose JSON does not match the contract. */
  readonly offContract?: true | undefined
  /**
   * Performs the request anyway, so that only its response is lost.
   * @default true for `truncated`, `malformed`, `offContract`, and for latency alone; otherwise false
   */
  readonly carriedOut?: boolean | undefined
}

/** The endpoint whose requests a fault hits, or `*` for every endpoint. */
export type FaultedEndpoint = EndpointName | '*'

/** A fault with the requests that it hits. */
export type EndpointFault = FaultOptions & { readonly endpoint: FaultedEndpoint; readonly fault: ApiFault }

/** The faults of a public API. */
export type ApiFaults = Omit<FaultList<EndpointFault>, 'take'> & {
  /** Adds a fault. @throws InputError if it has no effect, or more than one effect that replaces the response. */
  add(fault: EndpointFault): PlannedFault<EndpointFault>
  /** Returns the fault for a request, and counts the hit. `undefined` means an unknown path. */
  take(endpoint: EndpointName | undefined): ApiFault | undefined
}

const kinds = ['reset', 'malformed', 'html', 'truncated', 'offContract'] as const

const findProblem = (fault: ApiFault): string | undefined => {
  if (Object.keys(fault).every((field) => field === 'carriedOut')) {
    return 'a fault needs something that goes wrong, such as { status: 429 } or { reset: true }'
  }
  return kinds.filter((kind) => fault[kind]).length > 1
    ? `only one of ${kinds.join(', ')} can happen to one response; add a second fault for the next request`
    : undefined
}

/**
 * Creates an empty list of faults for a public API.
 *
 * @param random - decides whether a fault with a `chance` hits.
 */
export const createApiFaults = (random: Random): ApiFaults => {
  const list = createFaultList<EndpointFault>(random)
  return {
    ...list,
    add: (added) => {
      const message = findProblem(added.fault)
      if (message !== undefined) throw new InputError([{ path: '', message }])
      return list.add(added)
    },
    take: (endpoint) => list.take((each) => each.endpoint === '*' || each.endpoint === endpoint)?.fault,
  }
}
