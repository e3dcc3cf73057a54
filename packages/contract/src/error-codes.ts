/**
 * Every `code` an error body of this interface may carry, with its HTTP status. The list is closed: a code that is
 * not here comes from another server.
 */
export const errorCodes = {
  /** The summary is still being made, or the call is going on: ask again after `Retry-After`. */
  summary_pending: 202,
  /** The body is not JSON. */
  malformed_json: 400,
  /** The body is not one JSON object. */
  invalid_body: 400,
  invalid_waba_number: 400,
  invalid_subject: 400,
  invalid_description: 400,
  invalid_join_approval_mode: 400,
  invalid_group_id: 400,
  /** `wabaNumber` belongs to no integration of the caller's organization. */
  integration_not_found: 400,
  /** `callId` is missing or empty. */
  invalid_call_id: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  /** The key may not use this WABA number. */
  waba_number_not_permitted: 403,
  /** No such path. */
  route_not_found: 404,
  /** The call is unknown to the organization or outside the key's permission, or has no summary yet. */
  summary_not_found: 404,
  method_not_allowed: 405,
  body_too_large: 413,
  unsupported_media_type: 415,
  integration_disabled: 422,
  /** The `groupId` is in use by a different group of the organization. */
  group_id_conflict: 422,
  /** The call can never have a summary: missed, rejected, without a recording, or nothing was said. */
  summary_unavailable: 422,
  rate_limited: 429,
  internal_error: 500,
  /** The store cannot be reached: nothing was changed, try again after `Retry-After`. */
  storage_unavailable: 503,
} as const

/** A code from the closed list of {@link errorCodes}. */
export type ErrorCode = keyof typeof errorCodes

/** Tells whether `code` is on the closed list. */
export const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(errorCodes, code)
