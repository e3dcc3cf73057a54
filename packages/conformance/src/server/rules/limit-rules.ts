import { ErrorBody } from '@wabakit/contract'
import type { ApiExchange } from '../api/api-request.ts'
import { buildCreate, describeResponse } from '../lab.ts'
import { isOwnLimit } from '../scenes.ts'
import type { Observation, ServerRule, ServerRules } from '../server-rule.ts'
import { isRetryAfter } from './witness.ts'

const headers = '0010 (Retry-After and rate limit headers)'

/** Judges the first 429 response of the whole run. */
const judgeLimited =
  (judge: (exchange: ApiExchange) => Observation): ServerRule['examine'] =>
  async ({ lab, scenes }) => {
    const flood = await scenes.play('flood')
    const limited = lab.exchanges.find(({ response }) => response.status === 429)
    if (limited !== undefined) return { ...judge(limited), requests: [limited.request] }
    return {
      kept: undefined,
      observed: `no 429 in ${flood.length} requests with a wrong key; lower the server's limits to examine them`,
    }
  }

const expectHeader = (header: string): ServerRule => ({
  title: `A response with status 429 has the header ${header}`,
  clause: headers,
  expected: header,
  examine: judgeLimited(({ response }) => {
    const value = response.headers.get(header)
    return { kept: value !== null && value !== '', observed: `${header}: ${value}` }
  }),
})

/** Rules for rate limits. They come last, because they use up the limits. */
export const limitRules: ServerRules = {
  'limits.429.is-json': {
    title: 'A response with status 429 is a JSON object',
    clause: 'introduction: all bodies are JSON; "Limits": rate limiting exists',
    expected: 'a JSON object',
    examine: judgeLimited((exchange) => ({
      kept: typeof exchange.response.json === 'object' && exchange.response.json !== null,
      observed: describeResponse(exchange),
    })),
  },
  'limits.429.retry-after': {
    title: 'A response with status 429 has a Retry-After',
    clause: 'RFC 9110, section 10.2.3 (decision 0010)',
    expected: 'Retry-After with whole seconds, 1 or more, or a date',
    examine: judgeLimited(({ response }) => {
      const retryAfter = response.headers.get('retry-after')
      return { kept: isRetryAfter(retryAfter), observed: `Retry-After: ${retryAfter}` }
    }),
  },
  'limits.429.code': {
    title: 'A response with status 429 has the code rate_limited',
    clause: headers,
    expected: 'code rate_limited',
    examine: judgeLimited((exchange) => ({
      kept: ErrorBody.safeParse(exchange.response.json).data?.code === 'rate_limited',
      observed: describeResponse(exchange),
    })),
  },
  'limits.429.spares-a-valid-key': {
    title: 'Requests with a wrong key do not use up the limit of a valid one',
    clause: '"Limits": keyed by organization or user, with IP as fallback',
    expected: 'another status than 429 to a request with the valid key after many with a wrong one',
    risk: 'One client with an old key locks out every other client behind the same address.',
    examine: async ({ lab, scenes }) => {
      const wasLimitedBefore = lab.exchanges.some(isOwnLimit)
      const flood = await scenes.play('flood')
      const sent = await lab.send(buildCreate(lab, { subject: '' }), { once: true })
      const reached = flood.some(({ response }) => response.status === 429)
      // A run of many requests may have used up the limit of its key by itself.
      const kept = !isOwnLimit(sent) || (wasLimitedBefore ? undefined : false)
      return {
        kept: reached ? kept : undefined,
        observed: reached ? describeResponse(sent) : `no 429 in ${flood.length} requests with a wrong key`,
        requests: [sent.request],
      }
    },
  },
  'limits.429.ratelimit': expectHeader('ratelimit'),
  'limits.429.ratelimit-policy': expectHeader('ratelimit-policy'),
}
