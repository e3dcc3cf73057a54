import { parseRetryAfter } from '@wabakit/contract'
import { createWebhookSigner } from '@wabakit/webhooks'
import { isError, maskUrl } from '@wabakit/wire'
import type { AttemptResult, SubscriptionRecord } from '../records.ts'
import type { LoadedDelivery } from '../store.ts'
import type { Clock } from '../values/clock.ts'
import { createHide, readResponseBody } from './response-body.ts'
import { findShortage } from './shortage.ts'
import type { StopSignal } from './stop-signal.ts'
import { traceDelivery } from './trace-delivery.ts'

/** The request that an attempt sends. `fetch` accepts it as its second argument. `signal` ends the attempt. */
export type DeliveryRequest = {
  readonly method: 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly redirect: 'manual'
  readonly signal: AbortSignal
}

/** A `Response`, or an object with the parts of one that the dispatcher uses. */
export type DeliveryResponse = {
  readonly status: number
  readonly headers: { get(name: 'retry-after'): string | null }
  /**
   * The first 4,096 characters are stored, without the values of the subscription's headers (from 4 characters on) and
   * of its URL's query (from 8 on).
   */
  readonly body: ReadableStream<Uint8Array> | string | null
}

/**
 * Sends an attempt, like `fetch`. The third argument is the delivery, for implementations that need more than
 * the request.
 */
export type DeliveryFetch = (
  url: string,
  request: DeliveryRequest,
  attempted: LoadedDelivery,
) => Promise<DeliveryResponse>

export type AttemptContext = {
  readonly fetch: DeliveryFetch
  readonly clock: Clock
  /** The clock for `webhook-timestamp` and for `Retry-After` dates. */
  readonly signatureClock: Clock
  /** Returns whether a URL may get events with a custom payload. */
  readonly allowsCustomPayload: (url: string) => boolean
  readonly timeoutMs: number
  readonly slowAfterMs: number
  /** Called if the attempt takes longer than `slowAfterMs`. */
  readonly onSlow: () => void
  /** Stops the attempt without a result. */
  readonly stopping: Pick<StopSignal, 'onStop'>
}

export type EndedAttempt = {
  readonly attempt: AttemptResult
  /** The pause that the endpoint requested, in milliseconds. */
  readonly retryAfterMs: number | undefined
  /** Set if nothing was sent, because the endpoint must not get the event. */
  readonly isRefused: boolean
  /** The code of the error if the attempt failed because of this machine. */
  readonly shortage: string | undefined
}

type Outcome = Pick<AttemptResult, 'status' | 'error' | 'responseBody'> &
  Pick<EndedAttempt, 'retryAfterMs' | 'shortage'>

/** Lists the secrets that sign an attempt at time `now`. */
export const listSecrets = ({ secret, previousSecret }: SubscriptionRecord, now: number): string[] =>
  previousSecret !== null && previousSecret.expiresAt > now ? [secret, previousSecret.secret] : [secret]

type SignedContent = {
  readonly secrets: readonly string[]
  readonly id: string
  readonly payload: string
  /** Unix time in milliseconds. */
  readonly now: number
}

/** Returns the headers of an attempt, except `traceparent` and the headers that its subscription specifies. */
export const signHeaders = async ({ secrets, id, payload, now }: SignedContent) => {
  const timestamp = Math.floor(now / 1_000)
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': await createWebhookSigner(secrets)({ id, timestamp, payload }),
  }
}

const describe = (error: unknown): string => {
  if (!isError(error)) return String(error)
  return isError(error.cause) ? `${error.message}: ${error.cause.message}` : error.message
}

/**
 * Hides secrets in an error: fetch of some runtimes, and receivers in this process, put the URL into the message. A
 * shortage stays as it is, because its code tells it apart, and its message has none.
 */
export const hideInError = (error: unknown, hide: (text: string) => string): unknown => {
  if (findShortage(error) !== undefined) return error
  const text = describe(error)
  const shown = hide(text)
  return shown === text ? error : new Error(shown)
}

const exchange = async (
  attempted: LoadedDelivery,
  context: AttemptContext,
  signal: AbortSignal,
): Promise<Outcome> => {
  const { delivery, event, subscription } = attempted
  const now = context.signatureClock.now()
  const secrets = listSecrets(subscription, context.clock.now())
  const { payload } = event
  const signed = await signHeaders({ secrets, id: delivery.webhookId, payload, now })
  const { url } = subscription
  const traced: Record<string, string> = event.traceparent === null ? {} : { traceparent: event.traceparent }
  const refuse = (error: unknown): never => {
    throw hideInError(error, createHide(subscription.headers, url))
  }
  const send = async () => {
    const headers = { ...subscription.headers, ...traced, ...signed }
    const request = { method: 'POST', headers, body: payload, redirect: 'manual', signal } as const
    return context.fetch(url, request, attempted)
  }
  const {
    status,
    headers: received,
    body,
  } = await traceDelivery({ delivery, url: maskUrl(url), headers: traced }, () => send().catch(refuse))
  return {
    status,
    error: null,
    responseBody: await readResponseBody(body, subscription.headers, url).catch(refuse),
    retryAfterMs: parseRetryAfter(received.get('retry-after'), now),
    shortage: undefined,
  }
}

const toFailure = (error: unknown): Outcome => ({
  status: null,
  error: describe(error),
  responseBody: null,
  retryAfterMs: undefined,
  shortage: findShortage(error),
})

/** Runs `work`. Rejects after the timeout, or when `stopping` fires, even if `work` ignores its signal. */
const withDeadline = <Result>(
  { timeoutMs, slowAfterMs, onSlow, stopping }: AttemptContext,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> =>
  new Promise((resolve, reject) => {
    const deadline = new AbortController()
    const end = (): void => {
      clearTimeout(timer)
      removeStop()
    }
    const abort = (message: string): void => {
      end()
      const error = new Error(message)
      reject(error)
      deadline.abort(error)
    }
    const expire = (): void => abort(`no complete response within ${timeoutMs} ms`)
    // One timer serves both limits. The timeout may be shorter than `slowAfterMs`.
    let timer =
      timeoutMs <= slowAfterMs
        ? setTimeout(expire, timeoutMs)
        : setTimeout(() => {
            timer = setTimeout(expire, timeoutMs - slowAfterMs)
            onSlow()
          }, slowAfterMs)
    const removeStop = stopping.onStop(() => abort('aborted, because the dispatcher is stopping'))
    work(deadline.signal).then(
      (result) => {
        end()
        resolve(result)
      },
      (error) => {
        end()
        reject(error)
      },
    )
  })

/** The recorded reason for an event with a custom payload that is not sent. */
const customPayloadRefusal =
  'not sent: a caller chose the payload of this event, and the URL is not a loopback address'

/**
 * Makes one attempt within the timeout: signs, sends, and reads the start of the response. Sends nothing if the
 * endpoint must not get the event: its URL may have changed since the event was published.
 */
export const attemptDelivery = async (
  attempted: LoadedDelivery,
  context: AttemptContext,
): Promise<EndedAttempt> => {
  const startedAt = context.clock.now()
  const { url } = attempted.subscription
  const isRefused = attempted.event.hasCustomPayload && !context.allowsCustomPayload(url)
  const { retryAfterMs, shortage, ...outcome } = isRefused
    ? toFailure(customPayloadRefusal)
    : await withDeadline(context, (signal) => exchange(attempted, context, signal)).catch(toFailure)
  const durationMs = Math.max(0, context.clock.now() - startedAt)
  return {
    attempt: { startedAt, durationMs, url: maskUrl(url), ...outcome },
    retryAfterMs,
    isRefused,
    shortage,
  }
}
