import type { ErrorStatus } from '@wabakit/wire'

/** The reason phrase of each status in {@link errorCodes}, as in the field `error` of an error body (RFC 9110, section 15). */
export const reasonPhrases: Readonly<Record<ErrorStatus, string>> = {
  202: 'Accepted',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}
