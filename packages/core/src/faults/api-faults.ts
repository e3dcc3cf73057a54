import type { EndpointName } from '@wabakit/contract'
import * as z from 'zod/mini'
import { InputError } from '../errors/operation-errors.ts'
import type { Random } from '../values/ids.ts'
import { optional } from '../values/input-schemas.ts'
import { createFaultList, type FaultList, type FaultOptions, type PlannedFault } from './fault-list.ts'

/** A fault for a request to the public API. It is plain data, so that it can come from a file or over HTTP. */
export const ApiFault = z.strictObject({
  /** HTTP status of the response, 200 to 599. */
  status: optional(z.int().check(z.gte(200), z.lte(599)), 'Status of the response.'),
  /**
   * The error body's `code`. A documented code also determines the status, unless `status` is set.
   * @default the code that the endpoint has for the status, if it has exactly one; for 503, `storage_unavailable` with
   *   `retryAfterSeconds`, otherwise none
   */
  code: optional(z.string().check(z.minLength(1)), 'Error code of the response.'),
  /** The error body's `message`. */
  message: optional(z.string(), 'Message of the error.'),
  /** `Retry-After`: seconds, or any text, such as a date or a malformed value. */
  retryAfterSeconds: optional(z.union([z.number(), z.string()]), 'Value of Retry-After.'),
  /** Additional response headers. */
  headers: optional(z.record(z.string(), z.string()), 'Additional response headers.'),
  /** Replaces the whole body: a string is sent as is, any other value as JSON. */
  body: optional(z.unknown(), 'Body of the response.'),
  /** Milliseconds of real time before the response, at most 600,000. */
  latencyMs: optional(z.number().check(z.gte(0), z.lte(600_000)), 'Delay of the response in milliseconds.'),
  /** Resets the connection without a response. */
  reset: optional(z.literal(true), 'Drop the connection.'),
  /** Sends broken JSON. */
  malformed: optional(z.literal(true), 'Respond with broken JSON.'),
  /** Sends the HTML error page of a gateway, with 502 unless `status` or a documented `code` is set. */
  html: optional(z.literal(true), 'Respond with an HTML page.'),
  /** Ends the connection in the middle of the body. */
  truncated: optional(z.literal(true), 'End the response early.'),
  /** Sends JSON that does not match the contract, with 200 unless `status` or `code` is set. */
  offContract: optional(z.literal(true), 'Respond with unexpected fields.'),
  /**
   * Performs the request anyway, so that only its response is lost.
   * @default true for `malformed`, `offContract`, and a fault that keeps the service's status and body, such as one of
   *   only `truncated`, `latencyMs` or `headers`; otherwise false
   */
  carriedOut: optional(z.boolean(), 'Carry out the request anyway.'),
})
export type ApiFault = z.infer<typeof ApiFault>

/** The endpoint whose requests a fault hits, or `*` for requests to any path. */
export const FaultedEndpoint = z.enum(['groups.create', 'calls.getSummary', '*'])
export type FaultedEndpoint = z.infer<typeof FaultedEndpoint>

/** A fault with the requests that it hits. */
export type EndpointFault = FaultOptions & { readonly endpoint: FaultedEndpoint; readonly fault: ApiFault }

/** The faults of a public API. */
export type ApiFaults = Omit<FaultList<EndpointFault>, 'take'> & {
  /**
   * Adds a fault.
   *
   * @throws InputError if it has no effect, or more than one of `reset`, `malformed`, `html`, `truncated` and
   *   `offContract`.
   */
  add(fault: EndpointFault): PlannedFault<EndpointFault>
  /** Returns the fault for a request, and counts the hit. The endpoint of an unknown path is `undefined`. */
  take(endpoint: EndpointName | undefined): ApiFault | undefined
}

const kinds = ['reset', 'malformed', 'html', 'truncated', 'offContract'] as const

const findProblem = (fault: ApiFault): string | undefined => {
  if (Object.keys(fault).every((field) => field === 'carriedOut' || field === 'message')) {
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
