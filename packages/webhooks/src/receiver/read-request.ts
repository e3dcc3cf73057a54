import { concat } from '../bytes.ts'
import { isWebhookRequestError, WebhookRequestError, WebhookUsageError } from '../errors.ts'
import { longestTimerMs } from '../time-limit.ts'

const contentType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i
const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i

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
  if (input instanceof Request) return input
  const { request, req, web } = Object(input)
  const found = [input, request, req, Object(req).raw, Object(web).request].find(isRequest)
  if (found !== undefined) return found
  throw new WebhookUsageError(
    `handle() needs a Fetch Request, or an object that has one, not this ${Object(input).constructor?.name}. ` +
      'Use toNodeHandler() in node:http, Express, Koa and NestJS, toFastifyPlugin() in Fastify, ' +
      'toLambdaHandler() in AWS Lambda, and handle(toWebRequest(event)) in h3 1.',
  )
}

/** @throws WebhookRequestError for any method other than POST. */
export const assertPost = (method: string): void => {
  if (method !== 'POST') throw new WebhookRequestError('method_not_allowed', 'Webhooks are sent by POST.')
}

/** @throws WebhookRequestError for any type other than JSON in UTF-8. Without a type, the parser decides. */
export const assertJson = (type: string | null): void => {
  if (type === null || type === '' || type === 'application/json') return
  if (contentType.test(type) && /^utf-?8$/i.test(charset.exec(type)?.[1] ?? 'utf-8')) return
  throw new WebhookRequestError('unsupported_media_type', 'The body must be application/json in UTF-8.')
}

/** Number of bytes that any request may hold in memory while its body is read. Most webhooks are smaller. */
const freeBytes = 65_536

/**
 * Limit on the total number of bytes beyond `freeBytes`, in multiples of `maxBodyBytes`, because anyone can send large
 * bodies.
 */
const maxLargeBodies = 16

type BodyLimits = { readonly maxBodyBytes: number; readonly bodyTimeoutMs: number }

/**
 * Creates a function that reads the body of a request. The limit applies while reading: `content-length` is trusted only
 * when it is too large.
 *
 * @throws WebhookRequestError when the body is too large, too slow or broken, when other code has read it, or when too
 *   many large bodies are being read.
 */
export const createReadBody = ({ maxBodyBytes, bodyTimeoutMs }: BodyLimits) => {
  let heldByAll = 0
  return async (request: Request): Promise<Uint8Array> => {
    const tooLarge = () =>
      new WebhookRequestError('body_too_large', `The body has more than ${maxBodyBytes} bytes.`)
    if (request.bodyUsed || request.body?.locked) {
      throw new WebhookRequestError(
        'body_was_parsed',
        'The body was read before the receiver saw it, but only its original bytes can be verified. ' +
          'Mount the receiver before any body parser such as express.json(), ' +
          "or keep the bytes: express.raw({ type: '*/*' }), or rawBody: true in NestJS.",
      )
    }
    if (Number(request.headers.get('content-length')) > maxBodyBytes) throw tooLarge()
    if (!request.body) return new Uint8Array()

    const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader()
    const stop = () => void reader.cancel().catch(() => {})
    let held = 0
    let late = false
    let finished = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const startTimer = async (): Promise<void> => {
      // A body in memory is read within a few turns of the microtask queue. Creating a timer would take longer.
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
      const chunks: Uint8Array[] = []
      let length = 0
      for (;;) {
        const { done, value } = await reader.read()
        if (late) {
          throw new WebhookRequestError('body_timeout', `The body did not arrive within ${bodyTimeoutMs} ms.`)
        }
        if (done) return chunks.length === 1 && chunks[0] ? chunks[0] : concat(chunks)
        if (!ArrayBuffer.isView(value)) throw new TypeError('The body is not a stream of bytes.')
        length += value.length
        if (length > maxBodyBytes) {
          stop()
          throw tooLarge()
        }
        const beyond = Math.max(0, length - freeBytes)
        heldByAll += beyond - held
        held = beyond
        if (heldByAll > maxLargeBodies * maxBodyBytes) {
          stop()
          throw new WebhookRequestError('overloaded', 'Too many large bodies are being read.')
        }
        chunks.push(value)
      }
    } catch (error) {
      if (isWebhookRequestError(error)) throw error
      throw new WebhookRequestError('body_unreadable', 'Reading the body failed.', { cause: error })
    } finally {
      finished = true
      heldByAll -= held
      clearTimeout(timer)
    }
  }
}
