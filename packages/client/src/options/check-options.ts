import type { Issue } from '@wabakit/wire'
import type { ClientOptions } from './client-options.ts'

/** The rule for an option: a check, and its description. `undefined` is always allowed. */
type Rule = readonly [isValid: (value: unknown) => boolean, words: string]

/**
 * The rules for options whose type says too little: numbers, header values and names. They often come from the
 * environment, and a wrong one would fail late, or print a secret. TypeScript checks all other options.
 */
export type Rules = Readonly<Record<string, Rule>>

const isToken = (value: unknown) => typeof value === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(value)
// The platform's error would quote an invalid value, which may be a secret.
const isHeaderValue = (value: unknown) =>
  typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value.trim())
const isDuration = (value: unknown) => typeof value === 'number' && value > 0
const isBound = (value: unknown) => Number.isFinite(value) && Number(value) >= 0

const token: Rule = [isToken, 'be a word without spaces']
const duration: Rule = [isDuration, 'be a number of milliseconds above 0']
const limit: Rule = [(ms) => ms === 0 || isDuration(ms), 'be a number of milliseconds of at least 0']

export const requestRules: Rules = {
  timeoutMs: duration,
  headers: [
    (headers) =>
      !(Symbol.iterator in Object(headers)) &&
      Object.entries(Object(headers)).every(([name, value]) => isToken(name) && isHeaderValue(value)),
    'be a plain object of valid headers',
  ],
}

export const clientRules: Rules = {
  ...requestRules,
  apiKey: [
    (key) => isHeaderValue(key) && String(key).trim() !== '',
    'be a non-empty string that is valid in a header',
  ],
  'auth.header': token,
  'auth.scheme': token,
  totalTimeoutMs: duration,
  'retry.limit': [(limit) => isBound(limit) && Number.isInteger(limit), 'be an integer of at least 0'],
  'retry.backoffMs': [
    (value) => Array.isArray(value) && value.length === 2 && value.every(isBound),
    'be two numbers of milliseconds, each at least 0',
  ],
  'retry.maxRetryAfterMs': limit,
}

export const waitRules: Rules = {
  ...requestRules,
  maxWaitMs: duration,
  intervalMs: [(ms) => isDuration(ms) && ms !== Number.POSITIVE_INFINITY, duration[1]],
  notFoundGraceMs: limit,
}

const readPath = (options: unknown, path: string): unknown =>
  path.split('.').reduce((value, name) => Reflect.get(Object(value), name), options)

/** Returns the problems with the options. Messages never quote values. */
export const checkOptions = (options: unknown, rules: Rules): Issue[] =>
  Object.entries(rules).flatMap(([path, [isValid, words]]) => {
    const value = readPath(options, path)
    return value === undefined || isValid(value) ? [] : [{ path, message: `${path} must ${words}` }]
  })

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
