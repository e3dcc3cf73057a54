import type { Issue } from '@wabakit/wire'
import type { ClientOptions } from './client-options.ts'
import type { RequestOptions, WaitOptions } from './request-options.ts'

/** What an option must be. `undefined` is always allowed. */
type Rule = readonly [isValid: (value: unknown) => boolean, message: string]
type Rules = Readonly<Record<string, Rule>>

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isFunction = (value: unknown) => typeof value === 'function'
const isToken = (value: unknown) => typeof value === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(value)
// fetch would quote a bad value in its error, and the value may be a secret.
const isHeaderValue = (value: unknown) =>
  typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value.trim())
const isDuration = (value: unknown) => typeof value === 'number' && value > 0
const isBound = (value: unknown) => Number.isFinite(value) && Number(value) >= 0
const hasMethods =
  (...names: string[]) =>
  (value: unknown) =>
    isObject(value) && names.every((name) => isFunction(Reflect.get(value, name)))

const object: Rule = [isObject, 'must be an object']
const method: Rule = [isFunction, 'must be a function']
const duration: Rule = [isDuration, 'must be a number of milliseconds above 0']
const headers: Rule = [
  (value) =>
    isObject(value) &&
    !(Symbol.iterator in value) &&
    Object.entries(value).every(([name, text]) => isToken(name) && isHeaderValue(text)),
  'must be a plain object of valid header names and values',
]

const clientRules: Rules = {
  apiKey: [
    (key) => isHeaderValue(key) && String(key).trim() !== '',
    'must be a non-empty string that is valid in an HTTP header',
  ],
  auth: [
    (auth) => isFunction(auth) || (isObject(auth) && 'header' in auth && isToken(auth.header)),
    'must be { header } with the name of a header, or a function',
  ],
  'auth.scheme': [isToken, 'must be a scheme such as Bearer'],
  timeoutMs: duration,
  totalTimeoutMs: duration,
  retry: object,
  'retry.limit': [(limit) => isBound(limit) && Number.isInteger(limit), 'must be an integer of at least 0'],
  'retry.backoffMs': [
    (value) => Array.isArray(value) && value.length === 2 && value.every(isBound),
    'must be two numbers of milliseconds, each at least 0',
  ],
  'retry.maxRetryAfterMs': [
    (ms) => ms === 0 || isDuration(ms),
    'must be a number of milliseconds of at least 0',
  ],
  'retry.writes': [(mode) => mode === 'safe' || mode === 'always', 'must be safe or always'],
  random: method,
  ky: method,
  fetch: method,
  generateGroupIds: [(value) => typeof value === 'boolean', 'must be true or false'],
  headers,
  logger: [hasMethods('debug'), 'must have a debug method'],
  clock: [hasMethods('now', 'sleep'), 'must have the methods now and sleep'],
  hooks: object,
  'hooks.beforeRequest': method,
  'hooks.afterResponse': method,
  'hooks.afterError': method,
  'hooks.beforeRetry': method,
}

const requestRules: Rules = {
  timeoutMs: duration,
  headers,
  signal: [hasMethods('addEventListener', 'removeEventListener'), 'must be an AbortSignal'],
}

const waitRules: Rules = {
  ...requestRules,
  maxWaitMs: duration,
  intervalMs: [(ms) => isDuration(ms) && Number.isFinite(ms), duration[1]],
  events: [hasMethods('subscribe'), 'must have a subscribe method, like a receiver'],
}

const readPath = (options: unknown, path: string): unknown =>
  path.split('.').reduce((value, name) => Reflect.get(Object(value), name), options)

/** Returns what is wrong with the options. Messages never quote values. */
const checkOptions = (options: unknown, rules: Rules): Issue[] =>
  Object.entries(rules).flatMap(([path, [isValid, message]]) => {
    const value = readPath(options, path)
    return value === undefined || isValid(value) ? [] : [{ path, message: `${path} ${message}` }]
  })

/** Checks all options of a client except `baseUrl`. */
export const checkClientOptions = (options: ClientOptions): Issue[] => checkOptions(options, clientRules)
export const checkRequestOptions = (options: RequestOptions): Issue[] => checkOptions(options, requestRules)
export const checkWaitOptions = (options: WaitOptions): Issue[] => checkOptions(options, waitRules)
