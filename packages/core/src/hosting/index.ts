// For hosts, which connect a reference server to a network

// Responses to requests that a host rejects itself

export type { SerializedResponse } from '../http/response.ts'
export { createParserRefusal, formatRefusal, refuseRequest } from './refusals.ts'

// Limits for further endpoints of a host

export { createRateLimits, type RateLimitHeaders, type RateLimits } from '../rate-limit/rate-limits.ts'

// Reading the bodies of further endpoints

export { readJson } from '../http/read-json.ts'
