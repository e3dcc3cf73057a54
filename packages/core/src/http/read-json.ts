import { limits } from '@wabakit/contract'
import { RequestRefusedError } from '../errors/request-refused-error.ts'

const tooLarge = (maxBytes: number): RequestRefusedError =>
  new RequestRefusedError('body_too_large', `The body must be at most ${maxBytes} bytes long.`)

const unsupported = (message: string): RequestRefusedError =>
  new RequestRefusedError('unsupported_media_type', message)

const malformed = (): RequestRefusedError =>
  new RequestRefusedError('malformed_json', 'The body must be complete JSON in UTF-8.')

const checkMediaType = (headers: Headers): void => {
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').split(';')
  if (type.trim().toLowerCase() !== 'application/json') {
    throw unsupported('The content-type must be application/json.')
  }
  const charset = parameters
    .map((each) => each.trim().toLowerCase())
    .find((each) => each.startsWith('charset='))
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset)) {
    throw unsupported('The charset of the body must be UTF-8.')
  }
  if ((headers.get('content-encoding') ?? 'identity').toLowerCase() !== 'identity') {
    throw unsupported('The body must not be compressed: send it without content-encoding.')
  }
}

/** Reads a body as text, and stops where it gets too large or is not UTF-8. */
const readText = async (body: ReadableStream<Uint8Array>, maxBytes: number): Promise<string> => {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const reader = body.getReader()
  let text = ''
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    length += value.length
    if (length > maxBytes) {
      // Not awaited: a sender that does not care must not hold up the refusal.
      reader.cancel().catch(() => {})
      throw tooLarge(maxBytes)
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** Reads a body at once, which is quicker where a host need not make a stream of it. */
const readDeclared = async (request: Request, maxBytes: number): Promise<string> => {
  const bytes = await request.arrayBuffer()
  if (bytes.byteLength > maxBytes) throw tooLarge(maxBytes)
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
}

const read = async (request: Request, maxBytes: number): Promise<string> => {
  const declared = request.headers.get('content-length')
  if (declared === null) return request.body === null ? '' : readText(request.body, maxBytes)
  // A connection carries no more than was declared (RFC 9112 section 6.2).
  if (Number(declared) > maxBytes) throw tooLarge(maxBytes)
  return readDeclared(request, maxBytes)
}

/**
 * The JSON body of a request: `application/json` in UTF-8, at most `maxBytes` long (64 KiB by default). A declared length that is over is refused
 * before reading; a body without one is cut while reading.
 *
 * @throws RequestRefusedError `unsupported_media_type`, `body_too_large` or `malformed_json`.
 */
export const readJson = async (
  request: Request,
  maxBytes: number = limits.requestBodyMaxBytes,
): Promise<unknown> => {
  checkMediaType(request.headers)
  try {
    return JSON.parse(await read(request, maxBytes))
  } catch (error) {
    throw error instanceof RequestRefusedError ? error : malformed()
  }
}
