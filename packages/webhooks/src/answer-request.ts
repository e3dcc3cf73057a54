import { WebhookRequestError } from './errors/webhook-request-error.ts'
import { handlerFailed, refusalOf } from './receiver/answers.ts'

const unsupported = ['CONNECT', 'TRACE', 'TRACK']

/** @throws WebhookRequestError for a method that no Fetch request can have. */
export const assertFetchMethod = (method: string): void => {
  if (unsupported.includes(method)) {
    throw new WebhookRequestError('method_not_allowed', 'Webhooks are sent by POST.')
  }
}

const malformed = (cause: unknown) =>
  new WebhookRequestError('malformed_request', 'The headers or the body of the request cannot be read.', {
    cause,
  })

/**
 * Hands a request to a receiver, and responds itself when no Fetch request can be built: in most frameworks, an
 * adapter that rejects ends the process. Never rejects.
 */
export const answerRequest = async (
  build: () => Request | Promise<Request>,
  handle: (request: Request) => Promise<Response>,
): Promise<Response> => {
  let request: Request
  try {
    request = await build()
  } catch (error) {
    return refusalOf(error instanceof WebhookRequestError ? error : malformed(error))
  }
  try {
    return await handle(request)
  } catch (error) {
    console.error('The handle function of a webhook receiver failed.', error)
    return handlerFailed()
  }
}
