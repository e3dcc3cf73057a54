import type { Issue } from '@wabakit/contract'
import { type ApplyAuth, applyAuthOf } from './auth.ts'
import { parseBaseUrl } from './base-url.ts'
import type { ClientOptions } from './client-options.ts'
import { type Timeline, timelineOf } from './clock.ts'
import { environmentVariable } from './environment.ts'
import { ValidationError } from './errors/validation-error.ts'
import type { Hooks } from './hooks.ts'
import type { Logger } from './logger.ts'
import { userAgent } from './user-agent.ts'

/** The client's options, checked and with their defaults. */
export type Settings = {
  readonly baseUrl: string
  readonly apiKey: string | undefined
  readonly applyAuth: ApplyAuth
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly totalTimeoutMs: number
  readonly retry: {
    readonly limit: number
    readonly backoffMs: readonly [number, number]
    readonly maxRetryAfterMs: number
    readonly writes: 'safe' | 'always'
  }
  readonly fetch: ((request: Request) => Promise<Response>) | undefined
  readonly logger: Logger | undefined
  readonly hooks: Hooks
  readonly timeline: Timeline
}

/** Checks the client's options and fills in defaults and environment. Throws a `ValidationError`. */
export const settingsOf = (options: ClientOptions): Settings => {
  const issues: Issue[] = []
  const baseUrl = parseBaseUrl(
    options.baseUrl ?? environmentVariable('WABAKIT_BASE_URL') ?? '',
    options.allowInsecureHttp ?? false,
  )
  if (typeof baseUrl !== 'string') issues.push(baseUrl)
  const apiKey = (options.apiKey ?? environmentVariable('WABAKIT_API_KEY'))?.trim()
  const auth = options.auth ?? { header: 'Authorization' }
  if (!apiKey && typeof auth !== 'function') {
    issues.push({ path: 'apiKey', message: 'is missing: pass it, or set WABAKIT_API_KEY' })
  }
  if (typeof baseUrl !== 'string' || issues.length > 0) throw new ValidationError('createClient', issues)
  const agent = userAgent()
  return {
    baseUrl,
    apiKey,
    applyAuth: applyAuthOf(auth, apiKey),
    headers: { accept: 'application/json', ...(agent && { 'user-agent': agent }), ...options.headers },
    timeoutMs: options.timeoutMs ?? 15_000,
    totalTimeoutMs: options.totalTimeoutMs ?? 60_000,
    retry: {
      limit: options.retry?.limit ?? 2,
      backoffMs: options.retry?.backoffMs ?? [500, 8_000],
      maxRetryAfterMs: options.retry?.maxRetryAfterMs ?? 60_000,
      writes: options.retry?.writes ?? 'safe',
    },
    fetch: options.fetch,
    logger: options.logger,
    hooks: options.hooks ?? {},
    timeline: timelineOf(options.clock),
  }
}
