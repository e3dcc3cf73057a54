import type { CreateGroupRequest, CreateGroupResponse, SummaryRecord } from '@wabakit/wire'
import type { WithResponse } from './api-call.ts'
import { createGroup } from './create-group.ts'
import { getSummary } from './get-summary.ts'
import type { ClientOptions } from './options/client-options.ts'
import type { RequestOptions, WaitOptions } from './options/request-options.ts'
import { readSettings } from './options/settings.ts'
import { type AnyRequest, sendAny } from './send-any.ts'
import { waitForSummary } from './wait-for-summary.ts'

/** A promise for a call's result that also gives access to the response. */
export type ApiPromise<Data> = Promise<Data> & {
  /** Resolves to the result and its response. Rejects with the same error as the promise itself. */
  withResponse(): Promise<WithResponse<Data>>
}

/**
 * A client for the service's two endpoints and, with `request`, for any other endpoint. It does not have to
 * be closed.
 */
export type Client = {
  /** Methods for WhatsApp groups. */
  readonly groups: {
    /**
     * Creates a group on a WABA number. A GROUP_CREATED webhook with the same `groupId` follows.
     *
     * Without a `groupId`, the client generates one, unless `generateGroupIds` is false. Every attempt sends the same one, so
     * that GROUP_CREATED can resolve an unknown outcome.
     *
     * @param input - `wabaNumber`, `subject` (1 to 128 code points), and optionally `description` (at most 2048 code
     * points), `joinApprovalMode` (default: the integration's) and `groupId` (1 to 50 code points; default: generated).
     * @param options - signal, time limit and headers for this call.
     * @returns `success` and the `groupId`.
     * @throws ValidationError if the input or an option is invalid. No request is sent.
     * @throws BadRequestError 400, AuthenticationError 401, PermissionDeniedError 403, NotFoundError 404 (`baseUrl` is wrong),
     * UnprocessableError 422, RateLimitError 429, ServerError 503 `storage_unavailable` (nothing was changed), ApiError for
     * any other 4xx.
     * @throws OutcomeUnknownError after any other 5xx, after a 2xx that does not match the contract, such as one without a
     * `groupId` or with `success: false`, or if the request was sent and there was no complete response: the group may exist.
     * One such attempt is enough, even if a retry then fails in another way.
     * @throws ConnectionError or TimeoutError if the request provably never left this machine.
     * @throws ResponseFormatError for a redirect.
     * @example
     * const { groupId } = await client.groups.create({ wabaNumber: '+15550100001', subject: 'Order 7', groupId: 'order-7' })
     */
    create(input: CreateGroupRequest, options?: RequestOptions): ApiPromise<CreateGroupResponse>
  }
  /** Methods for calls and their AI summaries. */
  readonly calls: {
    /**
     * Fetches the AI summary of a call.
     *
     * @param callId - the `callId` from the call's webhooks; not empty.
     * @param options - signal, time limit and headers for this call.
     * @returns the record: `callId`, `summary`, and any other fields of the CALL_AI_SUMMARY payload that the service sends.
     * @throws ValidationError if `callId` or an option is invalid. No request is sent.
     * @throws SummaryPendingError 202: the summary is not ready yet.
     * @throws SummaryUnavailableError 422: the call can never have a summary.
     * @throws NotFoundError 404: the organization has no such call, the call has no summary yet, or `baseUrl` is wrong. A live
     * service returns it for every WhatsApp call.
     * @throws PermissionDeniedError 403: the key is not allowed here. A live service also returns it for a wrong key, and
     * for every call of an organization without PSTN calling.
     * @throws BadRequestError 400, AuthenticationError 401, RateLimitError 429, ServerError
     * 5xx, ApiError for any other 4xx. 408, 429 and 5xx are retried first.
     * @throws ConnectionError or TimeoutError if there was no complete response after the retries.
     * @throws ResponseFormatError for a redirect, or for a 2xx that does not match the contract or states another call.
     * @example
     * const { summary } = await client.calls.getSummary(callId)
     */
    getSummary(callId: string, options?: RequestOptions): ApiPromise<SummaryRecord>
    /**
     * Waits for the AI summary of a call. It polls while the service returns 202, for a short time after a 404, and
     * continues after rate limits, 5xx and lost connections. An event from `events` ends the wait early.
     *
     * @param callId - the `callId` from the call's webhooks; not empty.
     * @param options - `maxWaitMs`, `intervalMs`, `notFoundGraceMs` and `events`, plus the options of `getSummary`.
     * @returns the record, from a response or from the event.
     * @throws SummaryUnavailableError 422: the call can never have a summary.
     * @throws NotFoundError if the service returns 404 for `notFoundGraceMs`, and there are no `events`; at once for the code
     * `route_not_found`, because `baseUrl` is wrong.
     * @throws TimeoutError after `maxWaitMs`. Its `cause` is the last error.
     * @throws other errors of `getSummary` that waiting cannot resolve, such as AuthenticationError.
     * @example
     * const record = await client.calls.waitForSummary(callId, { maxWaitMs: 120_000, events: receiver })
     */
    waitForSummary(callId: string, options?: WaitOptions): Promise<SummaryRecord>
  }
  /**
   * Sends a request to any other endpoint below `baseUrl`, with the key, time limits, hooks and errors of this
   * client. A GET is retried like `getSummary`; anything else is sent once.
   *
   * @param request - `method`, `path`, and optionally `query` and `body`.
   * @param options - signal, time limit and headers for this call.
   * @returns the JSON of a 2xx, unvalidated; `undefined` if its body is empty.
   * @throws ValidationError if a field or an option is invalid, or if the path leaves `baseUrl`. No request is sent.
   * @throws TypeError or URIError if `body` or `query` cannot be serialized. No request is sent.
   * @throws ApiError, or its subclass for the status, for a 4xx or 5xx.
   * @throws ConnectionError or TimeoutError if there was no complete response. A request that is not a GET may have been
   * carried out, unless `neverSent` is set.
   * @throws ResponseFormatError for a redirect, or for a 2xx that is not JSON, is incomplete or has over 1 MiB.
   * @example
   * const group = await client.request({ method: 'GET', path: '/whatsapp/wa-group/info', query: { groupId } })
   */
  request(request: AnyRequest, options?: RequestOptions): ApiPromise<unknown>
}

const createApiPromise = <Data>(call: Promise<WithResponse<Data>>): ApiPromise<Data> => {
  const data = call.then((result) => result.data)
  return Object.assign(data, {
    withResponse: () => {
      // The caller handles a rejection of `call`, so the same rejection of `data` must not count as unhandled.
      data.catch(() => {})
      return call
    },
  })
}

/**
 * Creates a client. Does not send a request.
 *
 * @param options - `baseUrl` and `apiKey` default to the environment variables `WABAKIT_BASE_URL` and `WABAKIT_API_KEY`.
 * @throws ValidationError if an option is missing or invalid. `issues` lists every problem.
 * @example
 * const client = createClient({ baseUrl: 'https://api.example.com', apiKey: process.env.WABAKIT_API_KEY })
 */
export const createClient = (options: ClientOptions = {}): Client => {
  const settings = readSettings(options)
  return {
    groups: {
      create: (input, options = {}) => createApiPromise(createGroup(settings, input, options)),
    },
    calls: {
      getSummary: (callId, options = {}) => createApiPromise(getSummary(settings, callId, options)),
      waitForSummary: (callId, options = {}) => waitForSummary(settings, callId, options),
    },
    request: (request, options = {}) => createApiPromise(sendAny(settings, request, options)),
  }
}
