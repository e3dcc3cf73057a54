import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ClientOptions, RetryOptions } from './client-options.ts'
import type { Hooks } from './hooks.ts'
import { readSettings } from './settings.ts'

beforeEach(() => {
  vi.stubEnv('WABAKIT_BASE_URL', 'https://api.example.com')
  vi.stubEnv('WABAKIT_API_KEY', 'key')
})
afterEach(() => {
  vi.unstubAllEnvs()
})

/** Prints settings, with the source of functions, so that they can be compared. */
const printSettings = (options: ClientOptions): string =>
  JSON.stringify(readSettings(options), (_, value) => {
    if (typeof value === 'function') return String(value)
    return value instanceof Headers ? [...value] : value
  })

// The types make these lists complete.
const retry: Record<keyof RetryOptions, undefined> = {
  limit: undefined,
  backoffMs: undefined,
  maxRetryAfterMs: undefined,
  writes: undefined,
}
const hooks: Record<keyof Hooks, undefined> = {
  beforeRequest: undefined,
  afterResponse: undefined,
  afterError: undefined,
  beforeRetry: undefined,
}
const options: Record<keyof ClientOptions, undefined> = {
  baseUrl: undefined,
  apiKey: undefined,
  auth: undefined,
  timeoutMs: undefined,
  totalTimeoutMs: undefined,
  retry: undefined,
  generateGroupIds: undefined,
  fetch: undefined,
  headers: undefined,
  logger: undefined,
  hooks: undefined,
  clock: undefined,
  random: undefined,
  allowInsecureHttp: undefined,
}

it.each([
  ...Object.keys(options).map((name) => [name, { [name]: undefined }] as const),
  ...Object.keys(retry).map((name) => [`retry.${name}`, { retry: { [name]: undefined } }] as const),
  ...Object.keys(hooks).map((name) => [`hooks.${name}`, { hooks: { [name]: undefined } }] as const),
  ['auth.scheme', { auth: { header: 'Authorization', scheme: undefined } }] as const,
  ['every option', options] as const,
])('uses the default if %s is undefined', (_, unset) => {
  expect(printSettings(unset)).toBe(printSettings({}))
})
