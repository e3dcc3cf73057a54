// For hosts: programs that connect a reference server to a network

export type { Wait } from '../delivery/explain-wait.ts'
export { readResponseBody } from '../delivery/response-body.ts'
export { formatIssue } from '../errors/operation-errors.ts'
export { findEndpoint } from '../http/api.ts'
export { readJson, refuseRequest } from '../http/exchange.ts'
export { toApiRequest } from '../http/fetch.ts'
export { createRateLimits, type RateLimits, toClientNetwork } from '../rate-limit/rate-limits.ts'
export { DeclaredOrganization } from '../tenancy/organization-input.ts'
export { type ClockSources, createServiceClock, maxDriftMs } from '../values/clock.ts'
export { toDigits } from '../values/phone-number.ts'
export { sha256 } from '../values/sha256.ts'
export { type AttemptOutcome, getAttemptOutcome, getResponseLine } from './attempt-outcome.ts'
export {
  ControlError,
  type ControlErrorCode,
  requireFound,
  toErrorResponse,
} from './control-error.ts'
export { controlBodyMaxBytes, controlPath, inspectorPath } from './control-requests.ts'
export { createParserRefusal, formatRefusal, namesOneHost } from './refusals.ts'
export {
  createRequestLog,
  type LoggedBodies,
  type LoggedRequest,
  nothingPersonal,
  type RequestFilter,
  type RequestLog,
  shortenPath,
} from './request-log.ts'
export { type ReadBody, streamBody, takeBody } from './take-body.ts'
