import { expect, test } from 'vitest'
import { createParserRefusal, formatRefusal } from './refusals.ts'

test.each([
  [undefined, 400, 'malformed_request'],
  ['HPE_INVALID_METHOD', 400, 'malformed_request'],
  ['HPE_HEADER_OVERFLOW', 431, 'headers_too_large'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413, 'body_too_large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408, 'request_timeout'],
])('the error %s of the parser results in %i %s', (error, status, code) => {
  expect(createParserRefusal(error)).toMatchObject({ status, code })
})

test('a refusal is a complete HTTP/1.1 response that closes the connection', () => {
  const response = formatRefusal(createParserRefusal('HPE_HEADER_OVERFLOW'), 'req_1')
  const [head = '', body = '', ...rest] = response.split('\r\n\r\n')
  const [line, ...headers] = head.split('\r\n')
  expect(line).toBe('HTTP/1.1 431 Request Header Fields Too Large')
  expect(Object.fromEntries(headers.map((header) => header.split(': ')))).toMatchObject({
    'content-type': 'application/json',
    'content-length': String(new TextEncoder().encode(body).length),
    connection: 'close',
  })
  expect(JSON.parse(body)).toMatchObject({ code: 'headers_too_large' })
  expect(rest).toEqual([])
})
