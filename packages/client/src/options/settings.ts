import type { Issue } from '@wabakit/wire'
import manifest from '../../package.json' with { type: 'json' }
import { ValidationError } from '../errors/wabakit-error.ts'
import { checkOptions, clientRules, parseBaseUrl } from './check-options.ts'
import type { Auth, ClientOptions } from './client-options.ts'
import { createClock } from './clock.ts'

/** The checked options of a client, with defaults. */
export type Settings = Readonly<ReturnType<typeof readSettings>>

const keyVariable = 'WABAKIT_API_KEY'
const urlVariable = 'WABAKIT_BASE_URL'

const reportMissing = (path: string, variable: string): Issue => ({
  path,
  message: `${path} is missing: pass it, or set the environment variable ${variable}`,
})

/** Reads an environment variable; `undefined` if it is empty, or if the runtime has no environment or denies access. */
const readEnvironment = (name: typeof keyVariable | typeof urlVariable): string | undefined => {
  try {
    return globalThis.process?.env?.[name] || undefined
  } catch {
    // Deno throws without --allow-env.
    return undefined
  }
}

/**
 * Returns `wabakit/<version> <runtime>`, such as `wabakit/1.0.0 Node.js/26`. Returns `undefined` in browsers:
 * they send their own user agent, and the server's CORS settings would have to allow a custom one.
 */
const getUserAgent = (): string | undefined => {
  const runtime = globalThis.navigator?.userAgent
  if (runtime?.startsWith('Mozilla/')) return undefined
  return `wabakit/${manifest.version}${runtime ? ` ${runtime}` : ''}`
}

/**
 * Returns a number from 0 (inclusive) to 1 (exclusive). Prefers the cryptographic generator, because ids must differ
 * even between copies of the same process image. React Native has none.
 */
const generateRandom = (): number => {
  const value = globalThis.crypto?.getRandomValues?.(new Uint32Array(1))[0]
  return value === undefined ? Math.random() : value / 2 ** 32
}

/** The documentation of live services names one of these headers for each endpoint (decision 0055). */
const publishedHeaders = ['Authorization', 'x-public-api-key']

/** Creates the function that adds the key to the headers of an attempt. */
const createApplyAuth = (auth: Auth | undefined, apiKey: string | undefined) => {
  if (typeof auth === 'function') return (headers: Headers) => auth(headers, apiKey)
  const value = auth?.scheme === undefined ? `${apiKey}` : `${auth.scheme} ${apiKey}`
  const names = auth === undefined ? publishedHeaders : [auth.header]
  return (headers: Headers) => {
    for (const name of names) headers.set(name, value)
  }
}

/** Adds headers, which replace others with the same name. */
export const addHeaders = (headers: Headers, custom: ClientOptions['headers'] = {}): Headers => {
  for (const [name, value] of Object.entries(custom)) headers.set(name, value)
  return headers
}

const buildHeaders = (custom: ClientOptions['headers']): Headers => {
  const headers = new Headers({ accept: 'application/json' })
  const userAgent = getUserAgent()
  if (userAgent) headers.set('user-agent', userAgent)
  return addHeaders(headers, custom)
}

/**
 * Checks the options and adds environment variables and defaults.
 *
 * @throws ValidationError with all issues.
 */
export const readSettings = (options: ClientOptions) => {
  const apiKey = options.apiKey ?? readEnvironment(keyVariable)
  const { auth } = options
  const issues = checkOptions({ ...options, apiKey }, clientRules)
  if (apiKey === undefined && typeof auth !== 'function') issues.push(reportMissing('apiKey', keyVariable))
  const value = options.baseUrl ?? readEnvironment(urlVariable)
  const baseUrl = value === undefined ? reportMissing('baseUrl', urlVariable) : parseBaseUrl(value, options)
  if (typeof baseUrl !== 'string') issues.push(baseUrl)
  if (typeof baseUrl !== 'string' || issues.length > 0) throw new ValidationError('createClient', issues)
  // A key from a file often ends with a line break, which is not allowed in a header.
  const trimmedKey = apiKey?.trim()
  const { timeoutMs = 15_000, totalTimeoutMs = 60_000, generateGroupIds = true } = options
  const { random = generateRandom, fetch, logger, hooks = {}, retry = {} } = options
  const { limit = 2, backoffMs = [500, 8_000], maxRetryAfterMs = 60_000, writes = 'safe' } = retry
  return {
    /** The base URL without a trailing slash. */
    baseUrl,
    apiKey: trimmedKey,
    applyAuth: createApplyAuth(auth, trimmedKey),
    /** Headers for every request, without the key. */
    headers: buildHeaders(options.headers),
    retry: { limit, backoffMs, maxRetryAfterMs, writes },
    clock: createClock(options.clock),
    timeoutMs,
    totalTimeoutMs,
    generateGroupIds,
    random,
    fetch,
    logger,
    hooks,
  }
}
