import type { WithResponse } from './api-call.ts'
import { ValidationError } from './errors/wabakit-error.ts'
import { checkOptions, type Rules, requestRules } from './options/check-options.ts'
import type { RequestOptions } from './options/request-options.ts'
import type { Settings } from './options/settings.ts'
import { send } from './retry/send.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** A request to an endpoint that this package has no method for. */
export type AnyRequest = {
  /** HTTP method. Only a GET is retried. */
  readonly method: (typeof methods)[number]
  /**
   * Path below `baseUrl`, such as `/whatsapp/wa-group/info`. It starts with a slash and has no query. Encode ids with
   * `encodeURIComponent`; an id that is `.` or `..` is refused, because it would leave the path.
   */
  readonly path: string
  /** Parameters of the query. An `undefined` one is left out. @default none */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined
  /** Sent as JSON. A GET cannot have one. @default none */
  readonly body?: unknown
}

/** The characters of a path (RFC 3986, section 3.3). URL parsers rewrite many others, such as a backslash or a tab. */
const pathCharacters = /^\/(?!\/)[\w\-.~!$&'()*+,;=:@%/]*$/

/**
 * A segment that is `.` or `..`, even with a path parameter such as `..;a`, because some servers remove parameters first.
 * Dots and slashes count even if they are encoded repeatedly, because proxies decode them.
 */
const dotSegment = /(?:\/|%(?:25)*(?:2f|5c))(?:\.|%(?:25)*2e){1,2}(?:[;/]|%(?:25)*(?:2f|5c)|$)/i

/**
 * Checks that a path stays below the base URL. Otherwise an id from user input, such as `../admin`, could send the key to
 * another endpoint.
 */
const staysBelow = (path: unknown): boolean =>
  typeof path === 'string' && pathCharacters.test(path) && !dotSegment.test(path)

const encodeQuery = (query: AnyRequest['query']): string => {
  const parts = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  )
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

const rules: Rules = {
  method: [(method) => methods.some((name) => name === method), `be one of ${methods.join(', ')}`],
  path: [staysBelow, 'start with one slash and stay below baseUrl, without a query or dot segments'],
}

/** Sends a request to any endpoint below the base URL. Returns the JSON of its response as received. */
export const sendAny = async (
  settings: Settings,
  request: AnyRequest,
  options: RequestOptions,
): Promise<WithResponse<unknown>> => {
  const { method, path, query, body }: AnyRequest = Object(request)
  const issues = [
    ...checkOptions({ method: method ?? '', path: path ?? '' }, rules),
    ...checkOptions(options, requestRules),
  ]
  if (body !== undefined && method === 'GET') {
    issues.push({ path: 'body', message: 'body must not be part of a GET' })
  }
  if (issues.length > 0) throw new ValidationError('request', issues)
  return send(settings, {
    endpoint: 'request',
    method,
    path: path + encodeQuery(query),
    body: JSON.stringify(body),
    parse: (data) => ({ success: true, data }),
    options,
  })
}
