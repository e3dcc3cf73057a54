import type { EndpointName as DocumentedEndpoint, Validation } from '@wabakit/wire'
import type { RequestOptions } from './options/request-options.ts'

/** Name of an endpoint; `request` for all requests that `client.request` sends. */
export type CalledEndpoint = DocumentedEndpoint | 'request'

/** The parts of a call to an API endpoint that all its attempts share. */
export type ApiCall<Data> = {
  readonly endpoint: CalledEndpoint
  readonly method: string
  /** Path and query, relative to the base URL. */
  readonly path: string
  /** The JSON body. */
  readonly body?: string | undefined
  /** The id of the group to create, supplied or generated: the same for all attempts. */
  readonly groupId?: string | undefined
  readonly parse: (json: unknown) => Validation<Data>
  readonly options: RequestOptions
}

/** The result of a call, and its response. */
export type WithResponse<Data> = {
  /** The value that the call resolves to. */
  readonly data: Data
  /** The response as `fetch` returned it, for its status and headers. Its body has already been read. */
  readonly response: Response
  /** The response's `x-request-id`, if any. */
  readonly requestId: string | undefined
}

/** Checks for a JSON object. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
