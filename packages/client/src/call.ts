import type { EndpointName, Validation } from '@wabakit/contract'
import type { RequestOptions } from './options/client-options.ts'

/** One call of an endpoint, as far as it does not depend on the attempt. */
export type Call<Data> = {
  readonly endpoint: EndpointName
  readonly method: 'GET' | 'POST'
  /** Path and query, appended to the base URL. */
  readonly path: string
  /** The request's JSON text. */
  readonly body?: string
  /** For a create, its id, supplied or generated: the same on every attempt. */
  readonly groupId?: string | undefined
  /** Reads the data from the JSON of a success. */
  readonly parse: (json: unknown) => Validation<Data>
  readonly options: RequestOptions
}

/** Whether an answer should hold the call's data: any 2xx, but not the 202 of a summary that is not ready. */
export const isSuccess = ({ endpoint }: Call<unknown>, { ok, status }: Response): boolean =>
  ok && !(status === 202 && endpoint === 'calls.getSummary')
