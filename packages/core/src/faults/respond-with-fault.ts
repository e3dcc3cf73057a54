import { type EndpointName, type ErrorCode, errorCodes, isErrorCode, reasonPhrases } from '@wabakit/contract'
import { endpointErrors } from '@wabakit/contract/documents'
import { createStream } from '@wabakit/wire'
import type { ApiFault } from './api-faults.ts'

const json = 'application/json; charset=utf-8'

type FaultedRequest = { readonly fault: ApiFault; readonly endpoint: EndpointName | undefined }

/**
 * Returns the code of a status if the endpoint has exactly one: if there are several, it is not known which
 * one the test needs. A 503 without `Retry-After` has no code, like the 503 of a gateway.
 */
const findCode = (status: number, { fault, endpoint }: FaultedRequest): ErrorCode | undefined => {
  if (status === 503) return fault.retryAfterSeconds === undefined ? undefined : 'storage_unavailable'
  if (endpoint === undefined) return undefined
  const [code, ...others] = endpointErrors[endpoint].filter((each) => errorCodes[each] === status)
  return others.length === 0 ? code : undefined
}

const getStatus = ({ status, code, html }: ApiFault): number => {
  if (status !== undefined) return status
  if (isErrorCode(code)) return errorCodes[code]
  return html ? 502 : code === undefined ? 200 : 400
}

const buildErrorBody = (request: FaultedRequest, status: number): object => {
  const { fault } = request
  const [, error] = Object.entries(reasonPhrases).find(([known]) => Number(known) === status) ?? []
  const code = fault.code ?? findCode(status, request)
  return { statusCode: status, error, message: fault.message ?? 'This is a simulated fault.', code }
}

const buildPage = (status: number): string =>
  `<!doctype html>\n<html><head><title>${status}</title></head><body><h1>${status}</h1><p>gateway</p></body></html>\n`

const buildBody = (
  request: FaultedRequest,
  status: number,
): { readonly type: string; readonly text: string } => {
  const { body, html, malformed, offContract } = request.fault
  if (typeof body === 'string') return { type: 'text/plain', text: body }
  if (html) return { type: 'text/html; charset=utf-8', text: buildPage(status) }
  if (malformed) return { type: json, text: '{"success":true,"groupId":' }
  if (offContract) return { type: json, text: '{"ok":1}' }
  return { type: json, text: JSON.stringify(body === undefined ? buildErrorBody(request, status) : body) }
}

/** Builds the headers of a response. A 429 has rate-limit headers, as in the service. */
const buildHeaders = (
  { retryAfterSeconds, headers }: ApiFault,
  { status, base }: { readonly status: number; readonly base: HeadersInit },
): Headers => {
  const all = new Headers(base)
  if (status === 429 && !all.has('ratelimit')) {
    const seconds = typeof retryAfterSeconds === 'number' ? retryAfterSeconds : 60
    all.set('ratelimit-policy', '"key";q=300;w=60')
    all.set('ratelimit', `"key";r=0;t=${seconds}`)
  }
  if (retryAfterSeconds !== undefined) all.set('retry-after', String(retryAfterSeconds))
  for (const [name, value] of Object.entries(headers ?? {})) all.set(name, value)
  return all
}

/** Resets the connection after the first half of the body. */
const truncate = async (response: Response, { flush, reset }: FaultedExchange): Promise<Response> => {
  const bytes = new Uint8Array(await response.arrayBuffer())
  let sent = false
  const body = createStream({
    pull: async (controller) => {
      if (!sent) {
        sent = true
        controller.enqueue(bytes.slice(0, Math.ceil(bytes.length / 2)))
        return
      }
      // An HTTP server may read ahead before it sends anything.
      await flush()
      reset()
    },
  })
  const headers = new Headers(response.headers)
  headers.set('content-length', String(bytes.length))
  return new Response(body, { status: response.status, headers })
}

/** Returns whether a fault replaces the status and the body of the service's response. */
const isReplaced = ({ status, code, body, html, malformed, offContract }: ApiFault): boolean =>
  status !== undefined || code !== undefined || body !== undefined || !!(html || malformed || offContract)

const isCarriedOut = (fault: ApiFault): boolean =>
  fault.carriedOut ?? (fault.malformed || fault.offContract || !(fault.reset || isReplaced(fault)))

const buildResponse = (
  request: FaultedRequest,
  { original, requestId }: { readonly original: Response | undefined; readonly requestId: string },
): Response => {
  const { fault } = request
  if (original !== undefined && !isReplaced(fault)) {
    const { body, status } = original
    return new Response(body, { status, headers: buildHeaders(fault, { status, base: original.headers }) })
  }
  const status = getStatus(fault)
  const { type, text } = buildBody(request, status)
  const headers = buildHeaders(fault, { status, base: { 'content-type': type, 'x-request-id': requestId } })
  return new Response([204, 205, 304].includes(status) ? null : text, { status, headers })
}

/** A request that a fault hits. @inline */
export type FaultedExchange = {
  /** The endpoint, which determines the codes of a status; `undefined` for an unknown path. */
  readonly endpoint: EndpointName | undefined
  readonly createRequestId: () => string
  /** Performs the request in the service. */
  respond(): Promise<Response>
  /** Waits `ms` milliseconds. */
  sleep(ms: number): Promise<unknown>
  /** Resolves when the head of the response, and what was read of its body, have been sent. */
  flush(): Promise<unknown>
  /**
   * Resets the connection. If it throws, then so does `respondWithFault`, or reading the body of a truncated response.
   */
  reset(): void
}

/** Responds to a request as a fault specifies. After a reset, returns a 502 for logs and metrics. */
export const respondWithFault = async (fault: ApiFault, exchange: FaultedExchange): Promise<Response> => {
  await exchange.sleep(fault.latencyMs ?? 0)
  const original = isCarriedOut(fault) ? await exchange.respond() : undefined
  if (fault.reset) {
    exchange.reset()
    return new Response(null, { status: 502 })
  }
  const requestId = original?.headers.get('x-request-id') ?? exchange.createRequestId()
  const response = buildResponse({ fault, endpoint: exchange.endpoint }, { original, requestId })
  return fault.truncated ? truncate(response, exchange) : response
}
