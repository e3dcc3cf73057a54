import type { Issue } from '@wabakit/contract'
import * as z from 'zod/mini'

const maxHeaders = 20
const maxCharacters = 8_192
const namePattern = /^[a-z0-9][a-z0-9_.-]{0,99}$/i
const valuePattern = /^[!-~](?:[ -~]*[!-~])?$/
const reserved =
  /^(?:webhook-.*|content-.*|proxy-.*|host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect)$/i

export const encodeBase64 = (text: string): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(text)))

const checkHeader = ([name, value]: [string, string]): Issue[] => {
  // The message does not repeat the name, which may be a secret that was passed by mistake.
  if (!namePattern.test(name))
    return [{ path: '', message: 'must have names of letters, digits, _, . and -, such as x-webhook-token' }]
  if (reserved.test(name)) return [{ path: name, message: 'is set by the server; choose another name' }]
  if (valuePattern.test(value)) return []
  return [{ path: name, message: 'must be visible ASCII characters, with spaces only between them' }]
}

const checkHeaders = (headers: Readonly<Record<string, string>>): Issue[] => {
  const entries = Object.entries(headers)
  const names = new Set(entries.map(([name]) => name.toLowerCase()))
  if (names.size < entries.length)
    return [{ path: '', message: 'must not contain a name twice, not even in different case' }]
  if (names.size > maxHeaders || entries.flat().join('').length > maxCharacters) {
    const message = `must be at most ${maxHeaders} headers with at most ${maxCharacters} characters in total`
    return [{ path: '', message }]
  }
  return entries.flatMap(checkHeader)
}

const authorizationRule =
  'must have a token of visible ASCII characters, without Bearer, or a username without a colon and a password, both without control characters'

/** Credentials: HTTP Basic (RFC 7617, in UTF-8) or Bearer (RFC 6750). @inline */
const SubscriptionAuthorization = z
  .union(
    [z.strictObject({ username: z.string(), password: z.string() }), z.strictObject({ token: z.string() })],
    authorizationRule,
  )
  .check(
    z.refine(
      (authorization) =>
        'token' in authorization
          ? /^[!-~]{1,4096}$/.test(authorization.token)
          : !authorization.username.includes(':') &&
            /^[^\p{Cc}\p{Cs}]{1,1024}$/u.test(authorization.username + authorization.password),
      { error: authorizationRule },
    ),
  )
type SubscriptionAuthorization = z.infer<typeof SubscriptionAuthorization>

/** Headers of a subscription's webhooks, in addition to their signature. All are secret. */
export const SubscriptionHeaders = z.strictObject({
  /**
   * Static headers, at most 20, with at most 8,192 characters in total. Values are visible ASCII characters and spaces.
   * Names of headers about the signature, the body, the connection or proxies are rejected.
   */
  headers: z.optional(
    z.record(z.string(), z.string()).check(({ value: input, issues }) => {
      for (const { path, message } of checkHeaders(input))
        issues.push({ code: 'custom', path: path === '' ? [] : [path], message, input })
    }),
  ),
  /** The `authorization` header. `null` removes it. */
  authorization: z.optional(z.nullable(SubscriptionAuthorization)),
})
export type SubscriptionHeaders = z.infer<typeof SubscriptionHeaders>

const formatAuthorization = (authorization: SubscriptionAuthorization): string =>
  'token' in authorization
    ? `Bearer ${authorization.token}`
    : `Basic ${encodeBase64(`${authorization.username}:${authorization.password}`)}`

/** Checks that the `authorization` header is not set twice. */
export const checkAuthorization = ({ headers = {}, authorization }: SubscriptionHeaders): Issue[] =>
  authorization && Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
    ? [{ path: 'headers', message: 'must not contain authorization if the field authorization is also set' }]
    : []

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
