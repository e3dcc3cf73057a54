import { reasonPhrases } from '@wabakit/contract'
import { RequestRefusedError } from '../errors/request-refused-error.ts'
import { refuseRequest } from '../http/exchange.ts'

/** Returns the error for a request that an HTTP parser rejected, based on the `code` of node:http's `clientError`. */
export const createParserRefusal = (code: string | undefined): RequestRefusedError => {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new RequestRefusedError(
        'headers_too_large',
        'The URL and the headers are too large. Shorten them.',
      )
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new RequestRefusedError(
        'body_too_large',
        'The chunk extensions of the body are too large. Send the body without them.',
      )
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new RequestRefusedError('request_timeout', 'The complete request did not arrive in time.')
    default:
      return new RequestRefusedError('malformed_request', 'The request is not valid HTTP/1.1.')
  }
}

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
