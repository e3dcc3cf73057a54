import type { Issue } from '@wabakit/contract'

const loopback = /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])$/

const issue = (message: string): Issue => ({ path: 'baseUrl', message: `baseUrl ${message}` })

/**
 * The address to which endpoint paths are appended, without a trailing slash; or what is wrong with it. The
 * sentences never repeat the value, which may hold a password.
 */
export const parseBaseUrl = (value: string | URL | undefined, allowInsecureHttp: boolean): string | Issue => {
  if (value === undefined)
    return issue('is missing: pass it, or set the environment variable WABAKIT_BASE_URL')
  const url = URL.parse(value)
  if (!url || !/^https?:$/.test(url.protocol)) return issue('must be an absolute http or https URL')
  if (url.username || url.password) return issue('must not hold a user name or password: use auth')
  if (url.search || url.hash) return issue('must not have a query or a fragment')
  if (url.protocol === 'http:' && !loopback.test(url.hostname) && !allowInsecureHttp) {
    return issue('must use https, because http shows the key to anyone between (or set allowInsecureHttp)')
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}
