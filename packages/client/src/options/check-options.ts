import type { Issue } from '@wabakit/wire'
import type { ClientOptions } from './client-options.ts'
import type { RequestOptions, WaitOptions } from './request-options.ts'

/** The rule for an option: a check, and its description. `undefined` is always allowed. */
type Rule = readonly [isValid: (value: unknown) => boolean, words: string]
export type Rules = Readonly<Record<string, Rule>>

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isFunction = (value: unknown) => typeof value === 'function'
const isToken = (value: unknown) => typeof value === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(value)
// An error from `fetch` would quote an invalid value, which may be a secret.
const isHeaderValue = (value: unknown) =>
  typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value.trim())
const isDuration = (value: unknown) => typeof value === 'number' && value > 0
const isBound = (value: unknown) => Number.isFinite(value) && Number(value) >= 0

/** Requires an object with these methods. */
const methods = (...names: string[]): Rule => [
  (value) => isObject(value) && names.every((name) => isFunction(Reflect.get(value, name))),
  `have the methods ${names.join(' and ')}`,
]

const object: Rule = [isObject, 'be an object']
const method: Rule = [isFunction, 'be a function']
const duration: Rule = [isDuration, 'be a number of milliseconds above 0']
const limit: Rule = [(ms) => ms === 0 || isDuration(ms), 'be a number of milliseconds of at least 0']
const headers: Rule = [
  (value) =>
    isObject(value) &&
    !(Symbol.iterator in value) &&
    Object.entries(value).every(([name, text]) => isToken(name) && isHeaderValue(text)),
  'be a plain object of valid headers',
]

const clientRules: Rules = {
  apiKey: [
    (key) => isHeaderValue(key) && String(key).trim() !== '',
    'be a non-empty string that is valid in a header',
  ],
  auth: [
    (auth) => isFunction(auth) || (isObject(auth) && 'header' in auth && isToken(auth.header)),
    'be { header: name } or a function',
  ],
  'auth.scheme': [isToken, 'be a scheme such as Bearer'],
  timeoutMs: duration,
  totalTimeoutMs: duration,
  retry: object,
  'retry.limit': [(limit) => isBound(limit) && Number.isInteger(limit), 'be an integer of at least 0'],
  'retry.backoffMs': [
    (value) => Array.isArray(value) && value.length === 2 && value.every(isBound),
    'be two numbers of milliseconds, each at least 0',
  ],
  'retry.maxRetryAfterMs': limit,
  'retry.writes': [(mode) => mode === 'safe' || mode === 'always', 'be safe or always'],
  random: method,
  ky: method,
  fetch: method,
  generateGroupIds: [(value) => typeof value === 'boolean', 'be true or false'],
  headers,
  logger: methods('debug'),
  clock: methods('now', 'sleep'),
  hooks: object,
  'hooks.beforeRequest': method,
  'hooks.afterResponse': method,
  'hooks.afterError': method,
  'hooks.beforeRetry': method,
}

const requestRules: Rules = {
  timeoutMs: duration,
  headers,
  signal: methods('addEventListener', 'removeEventListener'),
}

const waitRules: Rules = {
  ...requestRules,
  maxWaitMs: duration,
  intervalMs: [(ms) => isDuration(ms) && ms !== Number.POSITIVE_INFINITY, duration[1]],
  notFoundGraceMs: limit,
  events: methods('subscribe'),
}

const readPath = (options: unknown, path: string): unknown =>
  path.split('.').reduce((value, name) => Reflect.get(Object(value), name), options)

/** Returns the problems with the options. Messages never quote values. */
export const checkOptions = (options: unknown, rules: Rules): Issue[] =>
  Object.entries(rules).flatMap(([path, [isValid, words]]) => {
    const value = readPath(options, path)
    return value === undefined || isValid(value) ? [] : [{ path, message: `${path} must ${words}` }]
  })

/** Checks all options of a client except `baseUrl`. */
export const checkClientOptions = (options: ClientOptions): Issue[] => checkOptions(options, clientRules)
export const checkRequestOptions = (options: RequestOptions): Issue[] => checkOptions(options, requestRules)
export const checkWaitOptions = (options: WaitOptions): Issue[] => checkOptions(options, waitRules)

const loopback = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/

/** Parses a URL, like `URL.parse`, which React Native lacks. */
const parseUrl = (value: string | URL): URL | undefined => {
  try {
    return new URL(value)
  } catch {
    return undefined
  }
}

/**
 * Returns the base URL without a trailing slash, or an issue. The issue never quotes the URL, because it may
 * contain a password.
 */
export const parseBaseUrl = (value: string | URL, { allowInsecureHttp }: ClientOptions): string | Issue => {
  const fail = (words: string): Issue => ({ path: 'baseUrl', message: `baseUrl must ${words}` })
  const url = parseUrl(value)
  if (!url?.protocol.match(/^https?:$/) || url.username || url.password || url.search || url.hash) {
    return fail('be an absolute http or https URL without a user name, password, query or fragment')
  }
  if (url.protocol === 'http:' && !loopback.test(url.hostname) && !allowInsecureHttp) {
    return fail('use https, because http exposes the API key (or set allowInsecureHttp)')
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}
