/**
 * Every `code` an error body of this interface may carry, with its HTTP status. The list is closed: a code that is
 * not here comes from another server. Each comment says what the code means, then what to do about it.
 */
export const errorCodes = {
  /**
   * The call is going on, or its summary is still being made.
   *
   * Ask again after the seconds in `Retry-After`, or wait for CALL_AI_SUMMARY.
   */
  summary_pending: 202,
  /**
   * The request body is not JSON.
   *
   * Send JSON in UTF-8, as a JSON serializer writes it.
   */
  malformed_json: 400,
  /**
   * The request body is JSON, but not an object.
   *
   * Send one JSON object.
   */
  invalid_body: 400,
  /**
   * `wabaNumber` is missing, empty, or not text.
   *
   * Send the WABA number on which the group is to be created.
   */
  invalid_waba_number: 400,
  /**
   * `subject` is missing, empty, longer than 128 characters, or not text.
   *
   * Send a group name of 1 to 128 characters (Unicode code points).
   */
  invalid_subject: 400,
  /**
   * `description` is longer than 2048 characters, or not text.
   *
   * Shorten it to at most 2048 characters (Unicode code points), or leave it out.
   */
  invalid_description: 400,
  /**
   * `joinApprovalMode` is neither `auto_approve` nor `approval_required`.
   *
   * Send one of the two, or leave it out to get the default of the number's integration.
   */
  invalid_join_approval_mode: 400,
  /**
   * `groupId` is empty, longer than 50 characters, or not text.
   *
   * Send 1 to 50 characters (Unicode code points), or leave it out to get a generated one.
   */
  invalid_group_id: 400,
  /**
   * `wabaNumber` belongs to no integration of the caller's organization.
   *
   * Check the number, and that the key is one of the organization that owns it.
   */
  integration_not_found: 400,
  /**
   * `callId` is missing or empty, has more than 255 characters, or contains control characters.
   *
   * Send the `callId` of the call's webhooks as the query parameter.
   */
  invalid_call_id: 400,
  /**
   * The request carries no Public API key.
   *
   * Send the key in the header that the service reads.
   */
  missing_api_key: 401,
  /**
   * The Public API key is not a valid one.
   *
   * Check the key for a typing error, and that it has not been revoked.
   */
  invalid_api_key: 401,
  /**
   * The Public API key has no permission for this WABA number.
   *
   * Use a key that may use the number, or extend this one's permission.
   */
  waba_number_not_permitted: 403,
  /**
   * There is no such path.
   *
   * Check the base URL: the paths of the endpoints are appended to it.
   */
  route_not_found: 404,
  /**
   * The call is unknown to the caller's organization or outside the key's permission, or has no summary yet although
   * summaries are not made automatically.
   *
   * Check the `callId` and the key; for a summary that a team member has to ask for, wait for CALL_AI_SUMMARY.
   */
  summary_not_found: 404,
  /**
   * The path exists, but not with this method.
   *
   * Use the method in the `Allow` header.
   */
  method_not_allowed: 405,
  /**
   * The request body is larger than 64 KiB.
   *
   * Send less: the longest legal request is far below the limit.
   */
  body_too_large: 413,
  /**
   * The request body is not `application/json`, or its charset is not UTF-8.
   *
   * Send `Content-Type: application/json`.
   */
  unsupported_media_type: 415,
  /**
   * The number's integration is disabled.
   *
   * Enable the integration, then repeat the request.
   */
  integration_disabled: 422,
  /**
   * The `groupId` already belongs to a group that was created by a different request.
   *
   * Choose another `groupId`; to repeat a request safely, send exactly the same one.
   */
  group_id_conflict: 422,
  /**
   * The call can never have a summary: it was missed or rejected, has no recording, or nothing was said.
   *
   * Do not ask again for this call.
   */
  summary_unavailable: 422,
  /**
   * Too many requests by this organization, key or IP address.
   *
   * Wait for the seconds in `Retry-After`, then repeat the request.
   */
  rate_limited: 429,
  /**
   * The server failed.
   *
   * Report it with the `x-request-id` of the response.
   */
  internal_error: 500,
  /**
   * The store cannot be reached. Nothing was changed.
   *
   * Repeat the request after the seconds in `Retry-After`.
   */
  storage_unavailable: 503,
} as const

/** A code from the closed list of {@link errorCodes}. */
export type ErrorCode = keyof typeof errorCodes

/** An HTTP status that comes with an error code; 202 is one of them. */
export type ErrorStatus = (typeof errorCodes)[ErrorCode]

/** Tells whether `code` is on the closed list. */
export const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(errorCodes, code)
