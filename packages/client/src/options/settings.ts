import { ValidationError } from '../errors/validation-error.ts'
import { createApplyAuth } from './auth.ts'
import { parseBaseUrl } from './base-url.ts'
import { checkClientOptions } from './check-options.ts'
import type { ClientOptions } from './client-options.ts'
import { createTimeline } from './clock.ts'
import { generateRandom, getUserAgent, readEnvironment } from './runtime-defaults.ts'

/** The checked options of a client, with defaults. */
export type Settings = Readonly<ReturnType<typeof readSettings>>

const buildHeaders = (custom: ClientOptions['headers']): Headers => {
  const headers = new Headers({ accept: 'application/json' })
  const userAgent = getUserAgent()
  if (userAgent) headers.set('user-agent', userAgent)
  for (const [name, value] of Object.entries(custom ?? {})) headers.set(name, value)
  return headers
}

/**
 * Checks the options and adds environment variables and defaults.
 *
 * @throws ValidationError with all issues.
 */
export const readSettings = (options: ClientOptions) => {
  const apiKey = options.apiKey ?? readEnvironment('WABAKIT_API_KEY')
  const auth = options.auth ?? { header: 'Authorization' }
  const issues = checkClientOptions({ ...options, apiKey })
  if (apiKey === undefined && typeof auth !== 'function') {
    issues.push({
      path: 'apiKey',
      message: 'apiKey is missing: pass it, or set the environment variable WABAKIT_API_KEY',
    })
  }
  const baseUrl = parseBaseUrl(
    options.baseUrl ?? readEnvironment('WABAKIT_BASE_URL'),
    options.allowInsecureHttp ?? false,
  )
  if (typeof baseUrl !== 'string') issues.push(baseUrl)
  if (typeof baseUrl !== 'string' || issues.length > 0) throw new ValidationError('createClient', issues)
  // A key that was read from a file often ends with a line break, which a header cannot carry.
  const trimmedKey = apiKey?.trim()
  const {
    limit = 2,
    backoffMs = [500, 8_000],
    maxRetryAfterMs = 60_000,
    writes = 'safe',
  } = options.retry ?? {}
  return {
    /** Without a trailing slash. */
    baseUrl,
    apiKey: trimmedKey,
    applyAuth: createApplyAuth(auth, trimmedKey),
    /** Headers of every request, without the key. */
    headers: buildHeaders(options.headers),
    timeoutMs: options.timeoutMs ?? 15_000,
    totalTimeoutMs: options.totalTimeoutMs ?? 60_000,
    retry: { limit, backoffMs, maxRetryAfterMs, writes },
    generateGroupIds: options.generateGroupIds ?? true,
    random: options.random ?? generateRandom,
    ky: options.ky,
    fetch: options.fetch,
    logger: options.logger,
    hooks: options.hooks ?? {},
    timeline: createTimeline(options.clock),
  }
}
