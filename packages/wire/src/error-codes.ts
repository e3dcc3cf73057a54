// The first paragraph of each comment is the meaning, the second the remedy: docs/reference/errors.md and OpenAPI show both.
/**
 * All error codes of the reference server's API endpoints, with their HTTP statuses. Codes are never renamed, and each has one status. A
 * code that is not in this list comes from another server, or from a simulated fault.
 */
export const errorCodes = {
  /**
   * The call is in progress, or its summary is being generated.
   *
   * Retry after the number of seconds in `Retry-After`, or wait for CALL_AI_SUMMARY.
   */
  summary_pending: 202,
  /**
   * The request is not valid HTTP, or its target or its `Host` header is not valid.
   *
   * Check the base URL, and the code that writes the request line and the headers.
   */
  malformed_request: 400,
  /**
   * The request body is not complete JSON in UTF-8.
   *
   * Send valid JSON in UTF-8.
   */
  malformed_json: 400,
  /**
   * The request body is JSON, but not an object.
   *
   * Send a JSON object.
   */
  invalid_body: 400,
  /**
   * `wabaNumber` is missing, empty, or not a valid string.
   *
   * Send the WABA number that should own the group.
   */
  invalid_waba_number: 400,
  /**
   * `subject` is missing, empty, longer than 128 characters, or not a valid string.
   *
   * Send a name of 1 to 128 characters (Unicode code points).
   */
  invalid_subject: 400,
  /**
   * `description` is longer than 2048 characters, or not a valid string.
   *
   * Shorten it to at most 2048 characters (Unicode code points), or omit it.
   */
  invalid_description: 400,
  /**
   * `joinApprovalMode` is neither `auto_approve` nor `approval_required`.
   *
   * Send one of these values, or omit the field to use the default of the number's integration.
   */
  invalid_join_approval_mode: 400,
  /**
   * `groupId` is empty, longer than 50 characters, or not a valid string.
   *
   * Send 1 to 50 characters (Unicode code points), or omit it to have one generated.
   */
  invalid_group_id: 400,
  /**
   * The organization has no integration with this `wabaNumber`.
   *
   * Check the number, and check that the API key belongs to the organization that owns it.
   */
  integration_not_found: 400,
  /**
   * `callId` is missing or empty, has more than 255 characters, or contains control characters or lone surrogates.
   *
   * Send the query parameter `callId` with the value from the call's webhooks.
   */
  invalid_call_id: 400,
  /**
   * The request has no Public API key.
   *
   * Send the key in the header that the server expects, by default `Authorization` or `x-public-api-key`.
   */
  missing_api_key: 401,
  /**
   * The Public API key is not valid, or two headers contain different keys.
   *
   * Check the key for typos, check that it has not been revoked, and send it in one header.
   */
  invalid_api_key: 401,
  /**
   * The Public API key has no permission for this WABA number.
   *
   * Use a key that may use this number, or grant this key the permission.
   */
  waba_number_not_permitted: 403,
  /**
   * The path does not exist.
   *
   * Check the base URL. The path of the endpoint is appended to it.
   */
  route_not_found: 404,
  /**
   * The organization has no call with this id, the key has no permission for the call's number, or the call has no
   * summary and summaries are not generated automatically.
   *
   * Check the `callId` and the key. If team members generate summaries by hand, wait for CALL_AI_SUMMARY.
   */
  summary_not_found: 404,
  /**
   * The endpoint does not support this method.
   *
   * Use the method in the `Allow` header.
   */
  method_not_allowed: 405,
  /**
   * The server did not receive the complete request in time.
   *
   * Send the whole request without pausing.
   */
  request_timeout: 408,
  /**
   * The request body is larger than 64 KiB.
   *
   * Send a smaller body. The documented fields never need that much.
   */
  body_too_large: 413,
  /**
   * The request body is not `application/json`, its charset is not UTF-8, or it is compressed.
   *
   * Send `Content-Type: application/json`, and no `Content-Encoding`.
   */
  unsupported_media_type: 415,
  /**
   * The integration of this number is disabled.
   *
   * Enable the integration, then retry.
   */
  integration_disabled: 422,
  /**
   * A different request has already created a group with this `groupId`.
   *
   * Use another `groupId`. To retry a request safely, send it unchanged.
   */
  group_id_conflict: 422,
  /**
   * The call will never have a summary: it was not answered, it was not recorded, or nothing was said.
   *
   * Do not retry.
   */
  summary_unavailable: 422,
  /**
   * The organization, the key or the IP address has sent too many requests, or the summary of one call was
   * requested too often.
   *
   * Retry after the number of seconds in `Retry-After`.
   */
  rate_limited: 429,
  /**
   * The request line and the headers exceed the size that the server accepts.
   *
   * Send fewer or shorter headers, and a shorter URL.
   */
  headers_too_large: 431,
  /**
   * An unexpected error occurred in the server.
   *
   * Report it to the operator, with the `x-request-id` of the response.
   */
  internal_error: 500,
  /**
   * The server lost its database while it was committing the change. The change may or may not have been made.
   *
   * Check before you retry: if the group was created, GROUP_CREATED with the `groupId` of the request follows.
   */
  outcome_unknown: 503,
  /**
   * The database is not available. Nothing was changed.
   *
   * Retry after the number of seconds in `Retry-After`.
   */
  storage_unavailable: 503,
} as const

/** One of {@link errorCodes}. */
export type ErrorCode = keyof typeof errorCodes

/** HTTP status of an error code. This includes 202, whose body is also a {@link ReceivedErrorBody}. */
export type ErrorStatus = (typeof errorCodes)[ErrorCode]

/** Checks whether a value is one of {@link errorCodes}. */
export const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(errorCodes, code)
