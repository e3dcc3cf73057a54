import { WebhookRequestError } from '../errors/webhook-request-error.ts'

/** How much of a body is read, and for how long. */
export type BodyLimits = {
  /** Most bytes. */
  readonly maxBytes: number
  /** Milliseconds until all of it must have arrived. */
  readonly timeoutMs: number
}

const alreadyRead = () =>
  new WebhookRequestError(
    'body_was_parsed',
    'The body was read before the receiver saw it, and a signature can only be checked on the bytes as they came. ' +
      'Mount the receiver before any body parser (express.json(), request.json() and the like), ' +
      "or give it the raw bytes: express.raw({ type: '*/*' }), or rawBody: true in NestJS.",
  )

const join = (chunks: readonly Uint8Array[], length: number): Uint8Array => {
  const [only] = chunks
  if (only !== undefined && chunks.length === 1) return only
  const whole = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.length
  }
  return whole
}

/**
 * Reads a request's body up to a limit, which holds while reading: Content-Length is believed only when it is too
 * large.
 *
 * @throws WebhookRequestError when the body is over the limit, late, broken, or was read by someone else.
 */
export const readBody = async (
  request: Request,
  { maxBytes, timeoutMs }: BodyLimits,
): Promise<Uint8Array> => {
  const tooLarge = () =>
    new WebhookRequestError('body_too_large', `The body has more than ${maxBytes} bytes.`)
  if (request.bodyUsed || request.body?.locked) throw alreadyRead()
  if (Number(request.headers.get('content-length')) > maxBytes) throw tooLarge()
  if (!request.body) return new Uint8Array()

  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader()
  const stop = () => void reader.cancel().catch(() => {})
  let late = false
  const timer = setTimeout(() => {
    late = true
    stop()
  }, timeoutMs)
  try {
    const chunks: Uint8Array[] = []
    let length = 0
    for (;;) {
      const { done, value } = await reader.read()
      if (late)
        throw new WebhookRequestError('body_timeout', `The body did not arrive within ${timeoutMs} ms.`)
      if (done) return join(chunks, length)
      if (!ArrayBuffer.isView(value))
        throw new TypeError('The body is a stream of something other than bytes.')
      length += value.length
      if (length > maxBytes) {
        stop()
        throw tooLarge()
      }
      chunks.push(value)
    }
  } catch (error) {
    if (error instanceof WebhookRequestError) throw error
    throw new WebhookRequestError('body_unreadable', 'The body broke off while it was read.', {
      cause: error,
    })
  } finally {
    clearTimeout(timer)
  }
}
