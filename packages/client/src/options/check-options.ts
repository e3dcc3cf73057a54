import type { Issue } from '@wabakit/contract'
import type { Auth } from './auth.ts'
import type { ClientOptions, RequestOptions } from './client-options.ts'
import type { WaitOptions } from './wait-options.ts'

type Rule = readonly [path: string, value: unknown, holds: (value: unknown) => boolean, message: string]

const isDuration = (value: unknown) => typeof value === 'number' && value > 0
const isCount = (value: unknown) => Number.isInteger(value) && Number(value) >= 0
const isRange = (value: unknown) =>
  Array.isArray(value) && value.length === 2 && value.every((bound) => Number.isFinite(bound) && bound >= 0)
const isFunction = (value: unknown) => typeof value === 'function'
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isToken = (value: unknown) => typeof value === 'string' && /^[\w!#$%&'*+.^`|~-]+$/.test(value)
// What fetch itself says of a bad value repeats that value, which may be a secret.
const isHeaderValue = (value: unknown) =>
  typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value.trim())
const isKey = (value: unknown) => isHeaderValue(value) && String(value).trim() !== ''
const areHeaders = (value: unknown) =>
  isObject(value) &&
  !(Symbol.iterator in value) &&
  Object.entries(value).every(([name, text]) => isToken(name) && isHeaderValue(text))
const isAuth = (value: unknown) =>
  isFunction(value) || (isObject(value) && 'header' in value && isToken(value.header))
const hasMethods =
  (...names: string[]) =>
  (value: unknown) =>
    isObject(value) && names.every((name) => isFunction(Reflect.get(value, name)))

const object = 'must be an object'
const method = 'must be a function'
const duration = 'must be a number of milliseconds above 0'
const headers = 'must be a plain object of header names and values that HTTP can carry'

const broken = (rules: readonly Rule[]): Issue[] =>
  rules
    .filter(([, value, holds]) => value !== undefined && !holds(value))
    .map(([path, , , rule]) => ({ path, message: `${path} ${rule}` }))

const schemeOf = (auth: Auth | undefined) => (typeof auth === 'function' ? undefined : auth?.scheme)

/** What is wrong with the client's options, but for `baseUrl`. Values are never repeated. */
export const clientOptionIssues = (options: ClientOptions): Issue[] => {
  const { retry, hooks, auth } = options
  return broken([
    ['apiKey', options.apiKey, isKey, 'must be a text that an HTTP header can carry, and not empty'],
    ['auth', auth, isAuth, 'must be { header } with the name of a header, or a function'],
    ['auth.scheme', schemeOf(auth), isToken, 'must be a scheme such as Bearer'],
    ['timeoutMs', options.timeoutMs, isDuration, duration],
    ['totalTimeoutMs', options.totalTimeoutMs, isDuration, duration],
    ['retry', retry, isObject, object],
    ['retry.limit', retry?.limit, isCount, 'must be a whole number from 0'],
    ['retry.backoffMs', retry?.backoffMs, isRange, 'must be two numbers of milliseconds from 0'],
    [
      'retry.maxRetryAfterMs',
      retry?.maxRetryAfterMs,
      (ms) => ms === 0 || isDuration(ms),
      `${duration}, or 0`,
    ],
    ['retry.writes', retry?.writes, (mode) => mode === 'safe' || mode === 'always', 'must be safe or always'],
    [
      'generateGroupIds',
      options.generateGroupIds,
      (value) => typeof value === 'boolean',
      'must be true or false',
    ],
    ['random', options.random, isFunction, method],
    ['fetch', options.fetch, isFunction, method],
    ['headers', options.headers, areHeaders, headers],
    ['logger', options.logger, hasMethods('debug'), 'must have a debug method'],
    ['clock', options.clock, hasMethods('now', 'sleep'), 'must have the methods now and sleep'],
    ['hooks', hooks, isObject, object],
    ...Object.entries(hooks ?? {}).map(([name, hook]): Rule => [`hooks.${name}`, hook, isFunction, method]),
  ])
}

/** What is wrong with the options of one call. */
export const requestOptionIssues = (options: RequestOptions): Issue[] =>
  broken([
    ['timeoutMs', options.timeoutMs, isDuration, duration],
    ['headers', options.headers, areHeaders, headers],
    ['signal', options.signal, hasMethods('addEventListener', 'throwIfAborted'), 'must be an AbortSignal'],
  ])

/** What is wrong with the options of `waitForSummary`. */
export const waitOptionIssues = (options: WaitOptions): Issue[] => [
  ...requestOptionIssues(options),
  ...broken([
    ['maxWaitMs', options.maxWaitMs, isDuration, duration],
    ['intervalMs', options.intervalMs, (ms) => isDuration(ms) && Number.isFinite(ms), duration],
    ['events', options.events, hasMethods('subscribe'), 'must have a subscribe method, as a receiver has'],
  ]),
]
