// For hosts, which connect a reference server to a network

// Requests and responses of further endpoints of a host, and of requests that it rejects itself

export { readJson } from '../http/read-json.ts'
export type { SerializedResponse } from '../http/response.ts'
export { createParserRefusal, formatRefusal, refuseRequest } from './refusals.ts'

// Rate limits

export { createRateLimits, type RateLimitHeaders, type RateLimits } from '../rate-limit/rate-limits.ts'

// Time

export { type ClockSources, createServiceClock, maxDriftMs } from '../values/clock.ts'
