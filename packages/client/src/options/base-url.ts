import type { Issue } from '@wabakit/wire'

const loopback = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/

const createIssue = (message: string): Issue => ({ path: 'baseUrl', message: `baseUrl ${message}` })

/** `URL.parse` is missing in React Native. */
const parseUrl = (value: string | URL): URL | undefined => {
  try {
    return new URL(value)
  } catch {
    return undefined
  }
}

/**
 * Returns the base URL without a trailing slash, or what is wrong with it. Messages never quote the value, which may
 * contain a password.
 */
export const parseBaseUrl = (value: string | URL | undefined, allowInsecureHttp: boolean): string | Issue => {
  if (value === undefined) {
    return createIssue('is missing: pass it, or set the environment variable WABAKIT_BASE_URL')
  }
  const url = parseUrl(value)
  if (!url || !/^https?:$/.test(url.protocol)) return createIssue('must be an absolute http or https URL')
  if (url.username || url.password) return createIssue('must not contain a user name or password: use auth')
  if (url.search || url.hash) return createIssue('must not have a query or a fragment')
  if (url.protocol === 'http:' && !loopback.test(url.hostname) && !allowInsecureHttp) {
    return createIssue('must use https, because http exposes the API key (or set allowInsecureHttp)')
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}
