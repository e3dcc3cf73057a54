import type { EndpointName, Validation } from '@wabakit/wire'
import type { RequestOptions } from './options/request-options.ts'

/** One call of an API endpoint, without what differs between its attempts. */
export type ApiCall<Data> = {
  readonly endpoint: EndpointName
  readonly method: 'GET' | 'POST'
  /** Path and query, relative to the base URL. */
  readonly path: string
  /** JSON. */
  readonly body?: string
  /** The id of the group to create, supplied or generated: the same for all attempts. */
  readonly groupId?: string | undefined
  /** Reads the data from the JSON of a successful response. */
  readonly parse: (json: unknown) => Validation<Data>
  readonly options: RequestOptions
}

/** Checks whether a response should contain the data: any 2xx, except the 202 of a summary that is not ready. */
export const isSuccess = ({ endpoint }: ApiCall<unknown>, { ok, status }: Response): boolean =>
  ok && !(status === 202 && endpoint === 'calls.getSummary')
