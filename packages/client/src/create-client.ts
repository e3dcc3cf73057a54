import type { CreateGroupRequest, CreateGroupResponse, SummaryRecord } from '@wabakit/contract'
import { type ApiPromise, apiPromiseOf } from './api-promise.ts'
import { getSummary } from './calls/get-summary.ts'
import { waitForSummary } from './calls/wait-for-summary.ts'
import { createGroup } from './groups/create-group.ts'
import type { ClientOptions, RequestOptions } from './options/client-options.ts'
import { settingsOf } from './options/settings.ts'
import type { WaitOptions } from './options/wait-options.ts'

/** WhatsApp groups. */
export type Groups = {
  /**
   * Creates a group on a WABA number. A GROUP_CREATED webhook with the same `groupId` follows.
   *
   * Without a `groupId`, the client generates one and sends it with every attempt, so that GROUP_CREATED can settle an
   * unknown outcome.
   *
   * @param input - the group: `wabaNumber`, `subject` (1 to 128 code points), and optionally `description` (at most
   * 2048), `joinApprovalMode` (the integration's default when omitted) and `groupId` (1 to 50; generated when
   * omitted).
   * @param options - signal, limit and headers of this call.
   * @returns `success` and the `groupId`: the supplied one, or the generated one.
   * @throws ValidationError before anything is sent, when the input breaks a rule.
   * @throws BadRequestError 400, AuthenticationError 401, PermissionDeniedError 403, UnprocessableError 422,
   * RateLimitError 429, ServerError 503 `storage_unavailable` (nothing was changed), ApiError for any other 4xx.
   * @throws OutcomeUnknownError after any other 5xx, and when the request was sent and no complete response came: the
   * group may exist.
   * @throws ConnectionError when the request provably never left, TimeoutError when the time was over before that.
   * @throws ResponseFormatError when the answer is a redirect, or a complete success outside the contract.
   * @example
   * const { groupId } = await client.groups.create({ wabaNumber: '+15550001111', subject: 'Order 7', groupId: 'order-7' })
   */
  create(input: CreateGroupRequest, options?: RequestOptions): ApiPromise<CreateGroupResponse>
}

/** Calls and their AI summaries. */
export type Calls = {
  /**
   * Fetches the AI summary of a call.
   *
   * @param callId - the `callId` of the call's webhooks; not empty.
   * @param options - signal, limit and headers of this call.
   * @returns the record: `callId` and `summary`, and whatever else of the CALL_AI_SUMMARY payload the service sends.
   * @throws ValidationError before anything is sent, when `callId` is empty.
   * @throws SummaryPendingError 202: not ready yet.
   * @throws SummaryUnavailableError 422: there will never be one.
   * @throws NotFoundError 404: the call is unknown, or has no summary yet.
   * @throws BadRequestError 400, AuthenticationError 401, PermissionDeniedError 403, RateLimitError 429, ServerError
   * 5xx, ApiError for any other 4xx; each of the passing ones after the repetitions that `retry` allows.
   * @throws ConnectionError or TimeoutError when no answer came.
   * @throws ResponseFormatError when the answer is a redirect, or a success outside the contract.
   * @example
   * const { summary } = await client.calls.getSummary(callId)
   */
  getSummary(callId: string, options?: RequestOptions): ApiPromise<SummaryRecord>
  /**
   * Waits until the AI summary of a call is there. Takes 202 and 404 as "not yet", and lives through rate limits,
   * failures of the service and lost connections; `events` end it early.
   *
   * @param callId - the `callId` of the call's webhooks; not empty.
   * @param options - limit and pace of the wait, and what {@link Calls.getSummary} takes.
   * @returns the record, from an answer or from the received event.
   * @throws SummaryUnavailableError 422: there will never be one.
   * @throws TimeoutError after `maxWaitMs`; its `cause` is the last "not yet".
   * @throws any other error of {@link Calls.getSummary} that waiting does not cure, such as AuthenticationError.
   * @example
   * const record = await client.calls.waitForSummary(callId, { maxWaitMs: 120_000, events: receiver })
   */
  waitForSummary(callId: string, options?: WaitOptions): Promise<SummaryRecord>
}

/** A client of the service's two endpoints. It holds no connection and needs no closing. */
export type Client = {
  /** What can be done with WhatsApp groups. */
  readonly groups: Groups
  /** What can be done with calls and their AI summaries. */
  readonly calls: Calls
}

/**
 * Makes a client.
 *
 * @param options - where the service is, the key, and how patient to be. `baseUrl` and `apiKey` may come from the
 * environment: `WABAKIT_BASE_URL`, `WABAKIT_API_KEY`.
 * @throws ValidationError when an option is missing or not allowed.
 * @example
 * const client = createClient({ baseUrl: 'https://api.example.com', apiKey: process.env.WABAKIT_API_KEY })
 */
export const createClient = (options: ClientOptions = {}): Client => {
  const settings = settingsOf(options)
  return {
    groups: {
      create: (input, options = {}) => apiPromiseOf(createGroup(settings, input, options)),
    },
    calls: {
      getSummary: (callId, options = {}) => apiPromiseOf(getSummary(settings, callId, options)),
      waitForSummary: (callId, options = {}) => waitForSummary(settings, callId, options),
    },
  }
}
