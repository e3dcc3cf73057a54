import { createByteCollector, longestTimerMs, toBodyStream } from '@wabakit/wire'
import { encoder } from '../bytes.ts'
import { isWebhookRequestError, WebhookRequestError, WebhookUsageError } from '../errors.ts'
import { parsedBody } from '../parsed-body.ts'
import type { ReceiverSettings } from './options.ts'

/** Matches the JSON types of `application` and `text` (WHATWG MIME Sniffing, "JSON MIME type"), even if the header was sent twice. */
const jsonType = /^(?:application|text)\/(?:[\w.+-]+\+)?json\s*(?:[;,]|$)/i

/** Matches the first character of a JSON object, which may be whitespace. */
const objectStart = /[{\s]/

const howToRegister = 'Register this webhook with the method POST and the body format JSON.'

/** The contexts that frameworks pass to a route instead of a Fetch request. */
export type RequestHolder =
  /** SvelteKit, React Router, Astro, Cloudflare Pages. */
  | { readonly request: Request }
  /** h3 2 and Nitro 3, or Hono. */
  | { readonly req: Request | { readonly raw: Request } }

const isRequest = (value: unknown): value is Request => {
  const { url, headers } = Object(value)
  return typeof url === 'string' && typeof Object(headers).get === 'function'
}

/**
 * Returns the Fetch request, or the one in a framework's context. It may come from another realm.
 *
 * @throws WebhookUsageError when there is no request.
 */
export const findRequest = (input: unknown): Request => {
  if (isRequest(input)) return input
  const { request, req, web } = Object(input)
  const found = [request, req, Object(req).raw, Object(web).request].find(isRequest)
  if (found !== undefined) return found
  throw new WebhookUsageError(
    `handle() needs a Fetch Request, not this ${Object(input).constructor?.name}. ` +
      'Use toNodeHandler(), toFastifyPlugin() or toLambdaHandler(), or toWebRequest() in h3 1.',
  )
}

/** Checks whether other code has read the body, or is reading it. */
export const wasRead = (request: Request): boolean => request.bodyUsed || (request.body?.locked ?? false)

/** @throws WebhookRequestError for any method other than POST. */
export const assertPost = (method: string): void => {
  if (method === 'POST') return
  throw new WebhookRequestError('method_not_allowed', `A webhook must be a POST. ${howToRegister}`)
}

/**
 * Checks the media type, if there is one. Ignores the charset, because JSON is always in UTF-8 (RFC 8259 section 8.1).
 *
 * @throws WebhookRequestError for any type other than JSON.
 */
export const assertJson = (type: string | null): void => {
  if (!type || jsonType.test(type)) return
  throw new WebhookRequestError(
    'unsupported_media_type',
    `The body must be application/json. ${howToRegister}`,
  )
}

/**
 * Rejects a body that the sender or a proxy has probably compressed. Otherwise, the only error would be a signature
 * that does not match. The header alone proves nothing: it may be left over from a body that was
 * decompressed, so a body that begins like a JSON object passes.
 *
 * @throws WebhookRequestError
 */
export const assertUncompressed = (headers: Headers, body: Uint8Array): void => {
  if (!headers.has('content-encoding') || objectStart.test(String.fromCharCode(body[0] ?? 0))) return
  const message = 'The body is compressed. Decompress it before the receiver, and keep it as request.rawBody.'
  throw new WebhookRequestError('unsupported_media_type', message)
}

/** Number of bytes of each body that do not count toward the limit on all bodies. Most webhooks are smaller. */
const freeBytes = 65_536

/**
 * Limit on the total number of bytes beyond `freeBytes`, in multiples of `maxBodyBytes`, because anyone can
 * send large bodies.
 */
const maxLargeBodies = 16

/**
 * Returns a body that other code has already read, from the copy that an adapter, Hono (`req`) or Elysia
 * (`body`) has kept.
 *
 * @throws WebhookRequestError when the verifier needs the bytes, the content type is missing or not JSON, or no copy was kept.
 */
const readParsed = async (
  request: Request,
  { ignoresBody, holder }: { readonly ignoresBody: boolean | undefined; readonly holder: object },
): Promise<Uint8Array> => {
  const type = request.headers.get('content-type')
  assertJson(type)
  const { req, body } = holder === request ? {} : Object(holder)
  const kept: unknown =
    Reflect.get(request, parsedBody) ?? (req?.raw === request ? await req.text() : JSON.stringify(body))
  if (ignoresBody && type && typeof kept === 'string') return encoder.encode(kept)
  throw new WebhookRequestError(
    'body_was_parsed',
    'Other code has read the body. Mount the receiver before any body parser, or keep the bytes: ' +
      'express.json({ verify: (request, _, bytes) => { request.rawBody = bytes } }), rawBody: true in NestJS, event.rawBody on Lambda.',
  )
}

/**
 * Creates a function that reads the body of a request or, if other code has read it before, of its holder.
 * The limit applies while reading: `content-length` is trusted only when it is too large.
 *
 * @throws WebhookRequestError when the body is too large, too slow or broken, when its bytes are needed but
 *   other code has read it, or when too many large bodies are being read.
 */
export const createReadBody = ({
  verify,
  maxBodyBytes,
  bodyTimeoutMs,
}: Pick<ReceiverSettings, 'verify' | 'maxBodyBytes' | 'bodyTimeoutMs'>) => {
  let heldByAll = 0
  const assertLength = (length: number): void => {
    if (length <= maxBodyBytes) return
    throw new WebhookRequestError('body_too_large', `The body has more than ${maxBodyBytes} bytes.`)
  }

  const readStream = async (stream: ReadableStream<Uint8Array>): Promise<Uint8Array> => {
    const reader = stream.getReader()
    const body = createByteCollector()
    let held = 0
    let late = false
    let finished = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = () => void reader.cancel().catch(() => {})
    const startTimer = async (): Promise<void> => {
      // A body in memory is read within a few microtasks. Creating a timer would take longer.
      for (let turn = 0; turn < 4; turn += 1) await undefined
      if (finished) return
      timer = setTimeout(
        () => {
          late = true
          stop()
        },
        Math.min(bodyTimeoutMs, longestTimerMs),
      )
    }
    void startTimer()
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (late) {
          throw new WebhookRequestError('body_timeout', `The body did not arrive within ${bodyTimeoutMs} ms.`)
        }
        if (done) return body.toBytes()
        if (!ArrayBuffer.isView(value)) throw new TypeError('The body is not a stream of bytes.')
        assertLength(body.length + value.byteLength)
        body.add(value)
        const beyond = Math.max(0, body.allocated - freeBytes)
        heldByAll += beyond - held
        held = beyond
        if (heldByAll > maxLargeBodies * maxBodyBytes)
          throw new WebhookRequestError('overloaded', 'Too many large bodies are being read.')
      }
    } catch (error) {
      stop()
      if (isWebhookRequestError(error)) throw error
      throw new WebhookRequestError('body_unreadable', 'Reading the body failed.', { cause: error })
    } finally {
      finished = true
      heldByAll -= held
      clearTimeout(timer)
    }
  }

  return (request: Request, holder?: object): Uint8Array | Promise<Uint8Array> => {
    if (holder) {
      return readParsed(request, { ignoresBody: verify.ignoresBody, holder }).then((bytes) => {
        assertLength(bytes.length)
        return bytes
      })
    }
    assertLength(Number(request.headers.get('content-length')))
    return readStream(toBodyStream(request))
  }
}
