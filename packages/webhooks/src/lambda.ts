import { Buffer } from 'node:buffer'
import { assertFetchMethod, createRequest, type RequestHandler, respond, toUrl } from './adapter.ts'
import { isUnparsed } from './bytes.ts'
import { WebhookUsageError } from './errors.ts'

export type { RequestHandler } from './adapter.ts'

/** An event from API Gateway (REST: payload 1.0, HTTP: 2.0), a function URL or a load balancer. */
export type LambdaEvent = {
  /** The method, in payload 1.0 and from a load balancer. */
  readonly httpMethod?: string | undefined
  /** The path, in payload 1.0 and from a load balancer. */
  readonly path?: string | undefined
  /** The path, in payload 2.0 and from a function URL. */
  readonly rawPath?: string | undefined
  /** The query without its question mark, in payload 2.0 and from a function URL. */
  readonly rawQueryString?: string | undefined
  /** The parameters of the query, in payload 1.0 and from a load balancer. Only the last value of each is present. */
  readonly queryStringParameters?: Readonly<Record<string, string | undefined>> | null | undefined
  /** The parameters of the query with all values, in payload 1.0 and from a load balancer. */
  readonly multiValueQueryStringParameters?:
    | Readonly<Record<string, readonly string[] | undefined>>
    | null
    | undefined
  /** The headers. The values of a repeated header are joined, or only the last one is present. */
  readonly headers?: Readonly<Record<string, string | undefined>> | null | undefined
  /** The headers with all values, in payload 1.0 and from a load balancer. */
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>> | null | undefined
  /**
   * Only `http` and `elb` are read. `requestId` is listed for type checking: where all properties are
   * optional, TypeScript rejects a value that has none of them.
   */
  readonly requestContext?: {
    /** The method, in payload 2.0 and from a function URL. */
    readonly http?: { readonly method?: string | undefined } | undefined
    readonly requestId?: string | undefined
    /** Set by a load balancer. */
    readonly elb?: object | undefined
  }
  /** The body as text, or as base64. */
  readonly body?: string | null | undefined
  /** Set if the body is base64. */
  readonly isBase64Encoded?: boolean | undefined
  /** The unparsed body, as text or as base64, where middleware has parsed `body` and kept it. */
  readonly rawBody?: string | undefined
}

/** Each form of an HTTP event has some of these properties. Events of queues and schedules have none. */
const httpProperties = [
  'httpMethod',
  'path',
  'rawPath',
  'headers',
  'multiValueHeaders',
  'queryStringParameters',
  'multiValueQueryStringParameters',
] as const satisfies readonly (keyof LambdaEvent)[]

/** @throws WebhookUsageError for an event of another trigger. A normal result would delete a queue's message. */
const assertHttpEvent = (event: unknown): void => {
  if (httpProperties.some((name) => name in Object(event))) return
  throw new WebhookUsageError(
    'toLambdaHandler() takes HTTP events from API Gateway, a function URL or a load balancer, and this event is from ' +
      'another trigger, such as SQS or EventBridge. Pass the body of a message to receiver.accept(body, { id }).',
  )
}

/** Returns the unparsed body, or the parsed one if no other was kept. */
const readBody = ({ body, rawBody, isBase64Encoded }: LambdaEvent): unknown => {
  const kept: unknown = isUnparsed(body ?? '') ? (body ?? '') : (rawBody ?? body)
  // Some middleware keeps the body as it arrived, and some keeps the decoded text. Base64 has no braces.
  const isBase64 = isBase64Encoded && typeof kept === 'string' && (kept === body || !kept.includes('{'))
  return isBase64 ? Buffer.from(kept, 'base64') : kept
}

/** The response, in a form that API Gateway, function URLs and load balancers accept. @inline */
type LambdaResult = {
  /** The HTTP status. */
  readonly statusCode: number
  /** The headers. */
  readonly headers: Record<string, string>
  /** The same headers, for a load balancer that sends multi-value headers, because it reads no others. */
  readonly multiValueHeaders?: Record<string, string[]>
  /** The body as text. */
  readonly body: string
  /** Always `false`, because the body is not base64. */
  readonly isBase64Encoded: false
}

const toHeaders = ({ headers, multiValueHeaders }: LambdaEvent): Headers => {
  const result = new Headers()
  for (const [name, value] of Object.entries(headers ?? {})) if (value !== undefined) result.set(name, value)
  for (const [name, values] of Object.entries(multiValueHeaders ?? {})) {
    result.delete(name)
    for (const value of values ?? []) result.append(name, value)
  }
  return result
}

/** Returns the query without its question mark. A load balancer does not decode parameters; API Gateway does. */
const toQuery = (event: LambdaEvent): string => {
  const { rawQueryString, queryStringParameters, multiValueQueryStringParameters, requestContext } = event
  if (rawQueryString !== undefined) return rawQueryString
  const parameters = Object.entries({ ...queryStringParameters, ...multiValueQueryStringParameters })
  const pairs = parameters.flatMap(([name, values = []]) => [values].flat().map((value) => [name, value]))
  // Percent-encodes rather than encoding as a form, so that a space does not become a `+`.
  const encode = (text = ''): string => (requestContext?.elb === undefined ? encodeURIComponent(text) : text)
  return pairs.map((pair) => pair.map(encode).join('=')).join('&')
}

const toRequest = (event: LambdaEvent): Promise<Request> => {
  const method = event.requestContext?.http?.method ?? event.httpMethod ?? 'POST'
  assertFetchMethod(method)
  const query = toQuery(event)
  const target = `${event.rawPath ?? event.path ?? '/'}${query && `?${query}`}`
  const url = toUrl(target, 'https://lambda.invalid')
  return createRequest(url, { method, headers: toHeaders(event), body: readBody(event) })
}

/**
 * Turns a receiver into an AWS Lambda handler, behind API Gateway (both payload versions), a function URL or a load
 * balancer. With `ack: 'before'`, it still waits for the handlers, because Lambda freezes the process after a response.
 *
 * Rejects with a {@link WebhookUsageError} for events of other triggers, so that a queue keeps its messages.
 *
 * @example
 * export const handler = toLambdaHandler(receiver)
 */
export const toLambdaHandler =
  (receiver: RequestHandler) =>
  async (event: LambdaEvent): Promise<LambdaResult> => {
    assertHttpEvent(event)
    const pending: Promise<unknown>[] = []
    const waitUntil = (work: Promise<unknown>): void => void pending.push(work)
    const response = await respond(
      () => toRequest(event),
      (request) => receiver.handle(request, { waitUntil }),
    )
    const body = await response.text()
    await Promise.allSettled(pending)
    const headers = Object.fromEntries(response.headers)
    const multiValueHeaders = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, [value]]),
    )
    return {
      statusCode: response.status,
      headers,
      ...(event?.multiValueHeaders && !event.headers && { multiValueHeaders }),
      body,
      isBase64Encoded: false,
    }
  }
