import type { EndpointName } from '@wabakit/contract'
import { maskUrl } from '@wabakit/wire'
import { parseCreateGroup } from '../groups/create-group.ts'
import type { CallerRecord } from '../records.ts'
import type { ApiRequest } from './exchange.ts'
import { parseCallId } from './get-summary.ts'

/** A request to the public API, and its outcome. The bodies and the user agent do not contain the key. */
export type RequestReported = {
  /** The `x-request-id` of the response. */
  readonly requestId: string
  /** Start of the request, as Unix time in milliseconds. */
  readonly startedAt: number
  readonly durationMs: number
  readonly method: string
  /** The path, without the query. */
  readonly path: string
  /** The endpoint; `null` for any other path. */
  readonly endpoint: EndpointName | null
  /** `null` if the request had no valid key, or it was not looked up. */
  readonly caller: CallerRecord | null
  readonly status: number
  /** The code of the response's body, also with 202; `null` if it has none. */
  readonly code: string | null
  /** The group that a valid request named or created, or the call that a request named with a valid id, or `null`. */
  readonly groupId: string | null
  readonly callId: string | null
  /** The peer's IP address; `null` if the host does not provide it. */
  readonly address: string | null
  /** The `user-agent` header. */
  readonly userAgent: string | null
  /** The query, with its values masked, such as `callId=***`; `null` if there is none. */
  readonly query: string | null
  /**
   * The beginning of the SHA-256 of the key that was sent, as in the list of keys; `null` if there was none, or
   * different ones.
   */
  readonly keyFingerprint: string | null
  /**
   * Why there is no caller: no key, one that does not exist (any more), or different ones. `null` if there is a caller,
   * or the key was not looked up.
   */
  readonly keyFault: 'missing' | 'unknown' | 'conflicting' | null
  /** Set if an earlier copy of the request had already created the group. */
  readonly isRepeated: boolean
  /** The body, with the key replaced wherever it occurs; `null` if it was not read, or is not UTF-8. */
  readonly requestBody: string | null
  /** The body of the response, with the key replaced wherever it occurs; `null` if there was none. */
  readonly responseBody: string | null
}

/** A response that a host sent in place of the service's, for example because of a fault. */
export type SentResponse = {
  readonly requestId: string
  readonly durationMs: number
  /** `null` if the host dropped the connection. */
  readonly status: number | null
  /** `null` if it was not read. */
  readonly requestBody: string | null
  readonly responseBody: string | null
}

/** A request to which a host responded. */
export type RequestDescribed = Omit<RequestReported, 'status'> & Pick<SentResponse, 'status'>

/** A report that is still being written. */
export type Report = { -readonly [Field in keyof RequestReported]: RequestReported[Field] }

/** Starts a report, which names neither a caller nor an outcome yet. Each field is named, because spreading is slow. */
export const startReport = (
  { method, path }: ApiRequest,
  {
    requestId,
    startedAt,
    address,
    endpoint,
  }: Pick<RequestReported, 'requestId' | 'startedAt' | 'address' | 'endpoint'>,
): Report => ({
  requestId,
  startedAt,
  durationMs: 0,
  method,
  path,
  endpoint,
  caller: null,
  status: 0,
  code: null,
  groupId: null,
  callId: null,
  address,
  userAgent: null,
  query: null,
  keyFingerprint: null,
  keyFault: null,
  isRepeated: false,
  requestBody: null,
  responseBody: null,
})

/** Replaces a key in a body. A client may have put it there by mistake, and a log must not show it. */
const maskKey = (body: string, key: string | undefined): string => (key ? body.replaceAll(key, '•••') : body)

type Texts = Pick<SentResponse, 'requestBody' | 'responseBody'> & {
  readonly request: ApiRequest
  readonly key: string | undefined
}

/** Adds the texts of a request and its response to a report, without the key. */
export const addTexts = (report: Report, { request, key, requestBody, responseBody }: Texts): void => {
  report.requestBody = requestBody && maskKey(requestBody, key)
  report.responseBody = responseBody && maskKey(responseBody, key)
  report.userAgent = maskKey(request.headers.get('user-agent') ?? '', key) || null
  if (request.query !== '') report.query = maskUrl(`?${request.query.replace(/^\?/, '')}`).slice(1) || null
}

/** Returns the beginning of a key's SHA-256. */
export const toFingerprint = (keyHash: string | undefined): string | null => keyHash?.slice(0, 8) || null

/** Returns the code of an error's body; `null` for any other body. */
export const findCode = (body: string | null): string | null => {
  try {
    const { code } = JSON.parse(body ?? '')
    return typeof code === 'string' ? code : null
  } catch {
    return null
  }
}

/** Returns the id of the group that a valid request names, or of the call that a request names with a valid id. */
export const findNamedId = (
  { endpoint }: Report,
  { query }: ApiRequest,
  body: string | null,
): Partial<Report> => {
  try {
    if (endpoint === 'calls.getSummary') return { callId: parseCallId(query) }
    return endpoint === null ? {} : { groupId: parseCreateGroup(JSON.parse(body ?? '')).groupId ?? null }
  } catch {
    return {}
  }
}
