import { WebhookRequestError } from './errors.ts'

/**
 * The property of a request for the serialization of a body that a framework has parsed. Copies of this package share
 * the symbol.
 */
export const parsedBody: unique symbol = Symbol.for('wabakit.parsedBody') as never

/**
 * Recognizes JSON that a form parser has misread: it put all of the text into the name of the first field.
 */
const isMisread = (body: unknown): boolean => /^\s*[{[]/.test(Object.keys(Object(body))[0] ?? '')

/**
 * Attaches the result of a body parser to the request that an adapter creates.
 *
 * @throws WebhookRequestError when it cannot be serialized.
 */
export const keepParsedBody = (request: Request, body: unknown): void => {
  if (isMisread(body)) return
  try {
    Object.defineProperty(request, parsedBody, { value: JSON.stringify(body) })
  } catch (cause) {
    throw new WebhookRequestError('body_unreadable', 'The parsed body cannot be serialized.', { cause })
  }
}
