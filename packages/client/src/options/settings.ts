import type { Issue } from '@wabakit/contract'
import { ValidationError } from '../errors/validation-error.ts'
import { type ApplyAuth, applyAuthOf } from './auth.ts'
import { parseBaseUrl } from './base-url.ts'
import { clientOptionIssues } from './check-options.ts'
import type { ClientOptions, RetryOptions } from './client-options.ts'
import { type Timeline, timelineOf } from './clock.ts'
import { environmentVariable } from './environment.ts'
import type { Hooks } from './hooks.ts'
import type { Logger } from './logger.ts'
import { defaultRandom } from './random.ts'
import { userAgent } from './user-agent.ts'

/** The client's options, checked and with their defaults. */
export type Settings = {
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly apiKey: string | undefined
  readonly applyAuth: ApplyAuth
  /** Headers of every request, but for the key. */
  readonly headers: Headers
  readonly timeoutMs: number
  readonly totalTimeoutMs: number
  readonly retry: { readonly [Name in keyof RetryOptions]-?: NonNullable<RetryOptions[Name]> }
  readonly generatesGroupIds: boolean
  readonly random: () => number
  readonly fetch: ClientOptions['fetch']
  readonly logger: Logger | undefined
  readonly hooks: Hooks
  readonly timeline: Timeline
}

const headersOf = (own: ClientOptions['headers']): Headers => {
  const headers = new Headers({ accept: 'application/json' })
  const agent = userAgent()
  if (agent) headers.set('user-agent', agent)
  for (const [name, value] of Object.entries(own ?? {})) headers.set(name, value)
  return headers
}

/** Checks the client's options and adds environment and defaults. Throws a `ValidationError` with every issue. */
export const settingsOf = (options: ClientOptions): Settings => {
  const given = options.apiKey ?? environmentVariable('WABAKIT_API_KEY')
  const auth = options.auth ?? { header: 'Authorization' }
  const issues: Issue[] = clientOptionIssues({ ...options, apiKey: given })
  if (given === undefined && typeof auth !== 'function') {
    issues.push({
      path: 'apiKey',
      message: 'apiKey is missing: pass it, or set the environment variable WABAKIT_API_KEY',
    })
  }
  const baseUrl = parseBaseUrl(
    options.baseUrl ?? environmentVariable('WABAKIT_BASE_URL'),
    options.allowInsecureHttp ?? false,
  )
  if (typeof baseUrl !== 'string') issues.push(baseUrl)
  if (typeof baseUrl !== 'string' || issues.length > 0) throw new ValidationError('createClient', issues)
  // A key that was read from a file often ends in a line break, which no header can carry.
  const apiKey = given?.trim()
  const { timeoutMs = 15_000, totalTimeoutMs = 60_000, retry = {}, hooks = {}, fetch, logger } = options
  const { limit = 2, backoffMs = [500, 8_000], maxRetryAfterMs = 60_000, writes = 'safe' } = retry
  return {
    baseUrl,
    apiKey,
    applyAuth: applyAuthOf(auth, apiKey),
    headers: headersOf(options.headers),
    timeoutMs,
    totalTimeoutMs,
    retry: { limit, backoffMs, maxRetryAfterMs, writes },
    generatesGroupIds: options.generateGroupIds ?? true,
    random: options.random ?? defaultRandom,
    fetch,
    logger,
    hooks,
    timeline: timelineOf(options.clock),
  }
}
