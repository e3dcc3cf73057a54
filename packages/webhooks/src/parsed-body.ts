import { writeJson } from '@wabakit/wire'
import { WebhookRequestError } from './errors.ts'

/**
 * The property of a request that holds its body, serialized again after a framework parsed it. All copies of
 * this package share the symbol.
 */
export const parsedBody: unique symbol = Symbol.for('wabakit.parsedBody') as never

/**
 * Recognizes JSON that was parsed as a form: the whole text ends up in the name of the first field. It is not
 * kept, because it is not the sender's JSON. If the content type is JSON, the receiver then responds with 400, and its
 * error explains how to keep the bytes.
 */
const isMisread = (body: unknown): boolean => /^\s*[{[]/.test(Object.keys(Object(body))[0] ?? '')

/**
 * Attaches an already parsed body to the request that an adapter creates.
 *
 * @throws WebhookRequestError when it cannot be serialized.
 */
export const keepParsedBody = (request: Request, body: unknown): void => {
  if (isMisread(body)) return
  try {
    Object.defineProperty(request, parsedBody, { value: writeJson(body) })
  } catch (cause) {
    throw new WebhookRequestError('body_unreadable', 'The parsed body cannot be serialized.', { cause })
  }
}
