import { type EventName, findTracingChannel } from '@wabakit/wire'
import { isWebhookVerificationError, WebhookDriftError } from '../errors.ts'
import { toIdentity } from '../identity/identity.ts'
import { parseEvent } from '../parse/parse-event.ts'
import { readVerdict, toScheme } from '../verifiers/verdict.ts'
import { isPromise } from '../verifiers/verify-signature.ts'
import { respondRejected, respondRetry } from './error-response.ts'
import type { ErrorListener } from './failures.ts'
import { createHandleOnce, type HandlingOutcome } from './handle-once.ts'
import type { DeliveryContext, Handlers, Task } from './handlers.ts'
import type { StoreDelivery } from './inbox.ts'
import type { ReceiverSettings } from './options.ts'
import {
  assertJson,
  assertPost,
  assertUncompressed,
  createReadBody,
  findRequest,
  type RequestHolder,
  wasRead,
} from './read-request.ts'
import type { Running } from './running.ts'

/** The message on the tracing channel `wabakit.webhook`: one received request, from its headers to its response. */
export type WebhookTrace = {
  /** The request. Its headers may have a `traceparent`. Its URL and its headers may contain a secret: do not record them. */
  readonly request: Request
  /** The schemes that accepted the delivery, such as `urlToken`, once it is verified. */
  verifiedBy?: readonly string[]
  /** The name of the event, once it is verified and known. Unset with an inbox, like `delivery`. */
  eventName?: EventName | undefined
  /** The delivery, once it is verified and a handler takes it. */
  delivery?: DeliveryContext['delivery']
  /**
   * The outcome: `handled`, `duplicate`, `in_progress`, `failed` (a handler failed), `unavailable` (the dedupe store or
   * the inbox failed), `ignored` (no handler takes it), `stored` (in the inbox), or `rejected`.
   */
  outcome?: HandlingOutcome | 'ignored' | 'stored' | 'rejected'
  /** The response, which is set at the end. */
  result?: unknown
}

const channel = /* @__PURE__ */ findTracingChannel('wabakit.webhook')

/** Printed once, even with `onError`: every event of such a service is lost, and the cause is not in this program. */
const withoutCredentials =
  'The first 3 webhooks had no credentials. The service may not send those that you registered: ' +
  'use urlToken(), or look with npx @wabakit/server capture.'

const respondAccepted = () => new Response()

type Parts = {
  readonly handlers: Handlers<DeliveryContext>
  readonly running: Running
  readonly report: ErrorListener
  /** Stores the delivery in the inbox instead of handling it, if the receiver has an inbox. */
  readonly store: StoreDelivery | undefined
}

/** Creates the function that handles a request: check, read, verify, parse, claim, handle, respond. Never rejects. */
export const createReceive = (settings: ReceiverSettings, { handlers, running, report, store }: Parts) => {
  const { verify, maxBodyBytes, claimTtlMs, now } = settings
  const readBody = createReadBody(settings)
  const handleOnce = createHandleOnce(settings, report)

  /** Number of requests without credentials, or NaN once a verifier came to another result. */
  let missing = 0

  const reject = async (error: unknown, headers: Headers): Promise<Response> => {
    if (isWebhookVerificationError(error)) {
      missing = error.reason.startsWith('missing_') ? missing + 1 : Number.NaN
      if (missing === 3) console.error(withoutCredentials)
    }
    await report(error, { stage: 'request', headers, context: undefined })
    return respondRejected(error)
  }

  const respond = async (
    trace: WebhookTrace,
    { holder, host }: { readonly holder: object; readonly host: object },
  ): Promise<Response> => {
    const { request } = trace
    const { headers, url } = request
    const receivedAt = new Date(now?.() ?? Date.now())
    let context: DeliveryContext
    let tasks: readonly Task<DeliveryContext>[]
    const early = running.acknowledgeEarly()
    try {
      // Checks the method, the headers and the URL before the body is read, so that unauthenticated
      // requests are cheap.
      assertPost(request.method)
      // Most verifiers check headers synchronously. Awaiting their result would allocate a promise for each
      // request. While a verifier fetches its secrets, this reads the body. Otherwise each chunk would wait in the stream as an
      // object, and a sender of tiny chunks could fill the memory.
      let signature = verify.checkHeaders?.(headers, now, url)
      let rawBody: Uint8Array | undefined
      const bodyWasParsed = wasRead(request)
      const read = () => readBody(request, bodyWasParsed ? holder : undefined)
      if (isPromise(signature)) [signature, rawBody] = await Promise.all([signature, read()])
      // An inbox also stores authentic deliveries that are not JSON, unless other code has read the body: `read` checks that.
      if (!store) assertJson(headers.get('content-type'))
      rawBody ??= await read()
      if (!(store && verify.ignoresBody)) assertUncompressed(headers, rawBody)
      const verdict = verify({ headers, body: rawBody, bodyWasParsed, url, signature, now })
      const vouched = readVerdict(isPromise(verdict) ? await verdict : verdict, headers)
      const { id, sentAt, verifiedBy = [toScheme(verify)] } = vouched
      trace.verifiedBy = verifiedBy
      missing = Number.NaN
      if (store) {
        trace.outcome = await store({ id, body: rawBody, bodyWasParsed, sentAt, headers, verifiedBy })
        return trace.outcome === 'unavailable' ? respondRetry(trace.outcome) : respondAccepted()
      }
      // What is not JSON gets a 400. An inbox has stored it by now, and parks it as `unreadable` (`inbox/attempts.ts`).
      const parsed = parseEvent(rawBody, { maxBytes: maxBodyBytes })
      tasks = handlers.find(parsed)
      if (tasks.length === 0 && parsed.kind === 'drifted')
        throw new WebhookDriftError(parsed.name, parsed.issues, rawBody)
      if (parsed.kind !== 'unknown')
        trace.eventName = parsed.kind === 'event' ? parsed.event.event : parsed.name
      trace.outcome = 'ignored'
      if (tasks.length === 0) return respondAccepted()
      const identified = toIdentity(parsed, { id, body: rawBody })
      const { key, identity } = isPromise(identified) ? await identified : identified
      context = {
        delivery: { id, key, identity },
        attempt: { at: sentAt, receivedAt },
        rawBody,
        bodyWasParsed,
        headers,
        verifiedBy,
        recognizedBy: parsed.kind === 'event' ? parsed.recognizedBy : undefined,
        // After an early response, the sender may hang up, which aborts the request's signal. The handlers must
        // go on.
        signal: early?.signal ?? request.signal,
      }
    } catch (error) {
      trace.outcome = 'rejected'
      return reject(error, headers)
    }
    trace.delivery = context.delivery
    const outcome = await handleOnce({
      context,
      tasks,
      keepAlive: (work) => running.keepAlive(work, host, early),
    })
    trace.outcome = outcome
    if (outcome === 'handled' || outcome === 'duplicate') return respondAccepted()
    return respondRetry(outcome, claimTtlMs)
  }
  return async (holder: Request | RequestHolder, host: object = holder): Promise<Response> => {
    let request: Request
    try {
      request = findRequest(holder)
    } catch (error) {
      return reject(error, new Headers())
    }
    const trace: WebhookTrace = { request }
    return channel?.hasSubscribers
      ? channel.tracePromise(() => respond(trace, { holder, host }), trace)
      : respond(trace, { holder, host })
  }
}
