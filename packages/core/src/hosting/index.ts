// For hosts: programs that connect a reference server to a network

// Requests and responses of a host's own endpoints, and of requests that it rejects itself

export { findEndpoint } from '../http/api.ts'
export { buildJsonResponse, readJson, refuseRequest } from '../http/exchange.ts'
export { toApiRequest } from '../http/fetch.ts'
export { createParserRefusal, formatRefusal } from './refusals.ts'

// Values of requests

export { toDigits } from '../values/phone-number.ts'
export { identifierRule, isIdentifier } from '../values/storable-text.ts'

// Waiting deliveries

export { explainWait, type Wait } from '../delivery/explain-wait.ts'

// Rate limits

export { createRateLimits, type RateLimits, toClientNetwork } from '../rate-limit/rate-limits.ts'

// Time

export { type ClockSources, createServiceClock, maxDriftMs } from '../values/clock.ts'
