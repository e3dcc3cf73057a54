import { type ErrorCode, reasonPhrases } from '@wabakit/contract'
import { RequestRefusedError } from '../errors/request-refused-error.ts'
import { refuseRequest } from '../http/exchange.ts'

const parserRefusals: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The URL and the headers are too large. Shorten them.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [
    'body_too_large',
    'The chunk extensions of the body are too large. Send the body without them.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The complete request did not arrive in time.'],
}

/** The parts of a node:http request that {@link namesOneHost} reads. */
type RequestHead = { readonly httpVersion: string; readonly rawHeaders: readonly string[] }

/**
 * Returns whether a request has one Host header, or none in HTTP/1.0 (RFC 9112, section 3.2). If it has two, a proxy
 * may have checked the one that node:http drops.
 */
export const namesOneHost = ({ httpVersion, rawHeaders }: RequestHead): boolean => {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts === 1 || (hosts === 0 && httpVersion === '1.0')
}

/** Returns the error for a request that an HTTP parser rejected, based on the `code` of node:http's `clientError`. */
export const createParserRefusal = (code = ''): RequestRefusedError =>
  new RequestRefusedError(
    ...(parserRefusals[code] ?? (['malformed_request', 'The request is not valid HTTP/1.1.'] as const)),
  )

/** Formats an error as an HTTP/1.1 response, for a socket without a response object. */
export const formatRefusal = (refusal: RequestRefusedError, requestId: string): string => {
  const { status, headers, body } = refuseRequest(refusal, { requestId })
  const length = new TextEncoder().encode(body).length
  const lines = Object.entries({ ...headers, 'content-length': length, connection: 'close' })
  return [
    `HTTP/1.1 ${status} ${reasonPhrases[refusal.status]}`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
    '',
    body,
  ].join('\r\n')
}
