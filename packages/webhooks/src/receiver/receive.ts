import { WebhookDriftError, WebhookRequestError } from '../errors.ts'
import { type ParsedEvent, parseEvent } from '../parse/parse-event.ts'
import { readUnsignedHeaders } from '../signature/signature-headers.ts'
import type { UnverifiedDelivery, VerifiedDelivery, Verifier } from '../verifiers/verifier.ts'
import type { DeliveryContext } from './delivery-context.ts'
import { respondRejected, respondUnhandled } from './error-response.ts'
import type { ErrorListener } from './failures.ts'
import { createHandleOnce, toDeliveryKey } from './handle-once.ts'
import type { Handlers, Task } from './handlers.ts'
import type { ReceiverSettings } from './options.ts'
import { assertJson, assertPost, readBody } from './read-request.ts'

const respondAccepted = () => new Response(null, { status: 200 })

const isVerified = (verdict: unknown): verdict is VerifiedDelivery => {
  const { id, sentAt } = Object(verdict)
  return typeof id === 'string' && id !== '' && sentAt instanceof Date
}

/** Only `true`, or an id and a time, accepts. */
const verifyDelivery = async (verify: Verifier, delivery: UnverifiedDelivery) => {
  const verdict: unknown = await verify(delivery)
  if (verdict === true) return readUnsignedHeaders(delivery.headers)
  if (isVerified(verdict)) return verdict
  throw new WebhookRequestError('not_verified', 'The delivery was not verified.')
}

/** Keeps the host running until the work is done, if the host offers that. */
const keepAlive = (host: object | undefined, work: Promise<unknown>): void => {
  if (host !== undefined && 'waitUntil' in host && typeof host.waitUntil === 'function') host.waitUntil(work)
}

const findTasks = <Transaction>(
  handlers: Handlers<Transaction>,
  parsed: ParsedEvent,
): readonly Task<Transaction>[] => {
  const tasks = handlers.find(parsed)
  if (tasks.length === 0 && parsed.kind === 'drifted') throw new WebhookDriftError(parsed.name, parsed.issues)
  return tasks
}

/** Creates the function that handles a request: check, read, verify, parse, claim, handle, respond. Never rejects. */
export const createReceive = <Transaction>(
  settings: ReceiverSettings<Transaction>,
  { handlers, report }: { readonly handlers: Handlers<Transaction>; readonly report: ErrorListener },
) => {
  const { verify, maxBodyBytes, ack, claimTtlMs, now } = settings
  const handleOnce = createHandleOnce(settings, report)

  return async (request: Request, host?: object): Promise<Response> => {
    const { headers, url } = request
    const receivedAt = new Date(now())
    let context: DeliveryContext
    let tasks: readonly Task<Transaction>[]
    try {
      // Before the body is read, so that a stranger costs little.
      assertPost(request.method)
      const signature = verify.checkHeaders?.(headers)
      assertJson(headers.get('content-type'))

      const rawBody = await readBody(request, settings)
      const { id, sentAt } = await verifyDelivery(verify, { headers, body: rawBody, url, signature })
      const parsed = parseEvent(rawBody, { maxBytes: maxBodyBytes })
      tasks = findTasks(handlers, parsed)
      if (tasks.length === 0) return respondAccepted()
      context = {
        delivery: { id, key: await toDeliveryKey(id, parsed, rawBody) },
        attempt: { at: sentAt, receivedAt },
        rawBody,
        headers,
        recognisedBy: parsed.kind === 'event' ? parsed.recognisedBy : undefined,
        // After an early response the sender has hung up, which must not stop the work.
        signal: ack === 'before' ? new AbortController().signal : request.signal,
        transaction: undefined,
      }
    } catch (error) {
      await report(error, { stage: 'request', headers, context: undefined })
      return respondRejected(error)
    }
    const outcome = await handleOnce({ context, tasks, keepAlive: (work) => keepAlive(host, work) })
    if (outcome === 'handled' || outcome === 'duplicate') return respondAccepted()
    return respondUnhandled(outcome, claimTtlMs)
  }
}
