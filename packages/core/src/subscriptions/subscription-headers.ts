import type { Issue } from '@wabakit/contract'

/** Credentials: HTTP Basic (RFC 7617, in UTF-8) or Bearer (RFC 6750). @inline */
export type SubscriptionAuthorization =
  | { readonly username: string; readonly password: string; readonly token?: undefined }
  | { readonly token: string; readonly username?: undefined }

/** Headers of a subscription's webhooks, in addition to their signature. All are secret. */
export type SubscriptionHeaders = {
  /**
   * Static headers, at most 20, with at most 8,192 characters in total. Values are visible ASCII characters and spaces.
   * Names that HTTP or the signature uses are rejected.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The `authorization` header. `null` removes it. */
  readonly authorization?: SubscriptionAuthorization | null | undefined
}

const maxHeaders = 20
const maxCharacters = 8_192
const namePattern = /^[a-z0-9][a-z0-9_.-]{0,99}$/i
const valuePattern = /^[!-~](?:[ -~]*[!-~])?$/
const reserved =
  /^(?:webhook-.*|content-.*|proxy-.*|host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect)$/i

const encodeBase64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

const checkHeader = ([name, value]: [string, unknown]): Issue[] => {
  // The message does not repeat the name, which may be a secret that was passed by mistake.
  if (!namePattern.test(name)) {
    return [
      { path: 'headers', message: 'must have names of letters, digits, _, . and -, such as x-webhook-token' },
    ]
  }
  const path = `headers.${name}`
  if (reserved.test(name)) return [{ path, message: 'is set by the server; choose another name' }]
  if (typeof value === 'string' && valuePattern.test(value)) return []
  return [{ path, message: 'must be visible ASCII characters, with spaces only between them' }]
}

const checkStaticHeaders = (headers: Readonly<Record<string, string>>): Issue[] => {
  if (typeof headers !== 'object' || headers === null) {
    return [{ path: 'headers', message: 'must be an object of names and values' }]
  }
  const entries = Object.entries(headers)
  const names = new Set(entries.map(([name]) => name.toLowerCase()))
  if (names.size < entries.length) {
    return [{ path: 'headers', message: 'must not contain a name twice, not even in different case' }]
  }
  if (names.size > maxHeaders || entries.flat().join('').length > maxCharacters) {
    const message = `must be at most ${maxHeaders} headers with at most ${maxCharacters} characters in total`
    return [{ path: 'headers', message }]
  }
  return entries.flatMap(checkHeader)
}

const formatAuthorization = (authorization: SubscriptionAuthorization): string =>
  authorization.token === undefined
    ? `Basic ${encodeBase64(`${authorization.username}:${authorization.password}`)}`
    : `Bearer ${authorization.token}`

const checkAuthorization = (authorization: SubscriptionAuthorization): Issue[] => {
  const { token, username, password }: Readonly<Record<string, unknown>> = Object(authorization)
  const isValid =
    token === undefined
      ? typeof username === 'string' &&
        typeof password === 'string' &&
        !username.includes(':') &&
        /^[^\p{Cc}\p{Cs}]{1,1024}$/u.test(username + password)
      : username === undefined && typeof token === 'string' && /^[!-~]{1,4096}$/.test(token)
  if (isValid) return []
  const message =
    'must have a token of visible ASCII characters, or a username without a colon and a password, both without control characters'
  return [{ path: 'authorization', message }]
}

export const checkHeaders = ({ headers, authorization }: SubscriptionHeaders): Issue[] => {
  const issues = headers === undefined ? [] : checkStaticHeaders(headers)
  if (authorization === undefined || authorization === null) return issues
  const isTwice = Object.keys(headers ?? {}).some((name) => name.toLowerCase() === 'authorization')
  if (isTwice) {
    issues.push({
      path: 'headers',
      message: 'must not contain authorization if the field authorization is also set',
    })
  }
  return [...issues, ...checkAuthorization(authorization)]
}

/** Applies a change to the headers of a record. Omitted parts do not change. */
export const changeHeaders = (
  { authorization: present, ...others }: Readonly<Record<string, string>>,
  { headers, authorization }: SubscriptionHeaders,
): Record<string, string> => {
  const own =
    headers === undefined
      ? others
      : Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const value = authorization === undefined ? present : authorization && formatAuthorization(authorization)
  return { ...(value && { authorization: value }), ...own }
}
