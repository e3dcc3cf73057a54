import { parseRetryAfter } from '@wabakit/contract'
import { signWebhook } from '@wabakit/webhooks'
import type { AttemptResult, SubscriptionRecord } from '../records.ts'
import type { ClaimedDelivery } from '../store.ts'
import type { Clock } from '../values/clock.ts'

/** The request of an attempt. `fetch` accepts it as its second argument. `signal` ends the attempt. */
export type DeliveryRequest = {
  readonly method: 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly redirect: 'manual'
  readonly signal: AbortSignal
}

/** A `Response`, or the parts of one that are used. */
export type DeliveryResponse = {
  readonly status: number
  readonly headers: { get(name: 'retry-after'): string | null }
  /** Only the first 4,096 characters are kept. */
  readonly body: ReadableStream<Uint8Array> | string | null
}

/** Sends an attempt, like `fetch`. The third argument is the delivery, for implementations that need more than the request. */
export type DeliveryFetch = (
  url: string,
  request: DeliveryRequest,
  claimed: ClaimedDelivery,
) => Promise<DeliveryResponse>

export type AttemptContext = {
  readonly fetch: DeliveryFetch
  readonly clock: Clock
  /** The clock of `webhook-timestamp` and of `Retry-After` dates. */
  readonly signatureClock: Clock
  readonly timeoutMs: number
  /** Aborted if the attempt must end without a result. */
  readonly stopping: AbortSignal
}

/** The result of an attempt, and the pause that the endpoint requested, in milliseconds. */
export type AttemptReport = { readonly attempt: AttemptResult; readonly retryAfterMs: number }

type Outcome = Pick<AttemptResult, 'status' | 'error' | 'responseBody'> & { readonly retryAfterMs: number }

const listSecrets = ({ secret, previousSecret }: SubscriptionRecord, now: number): string[] =>
  previousSecret !== null && previousSecret.expiresAt > now ? [secret, previousSecret.secret] : [secret]

/** Maximum number of characters of a response body that are kept. */
const maxBodyLength = 4_096

const readStream = async (body: ReadableStream<Uint8Array>): Promise<string> => {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (text.length < maxBodyLength) {
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
  }
  // Not awaited: an endless response must not delay the result.
  reader.cancel().catch(() => {})
  return text
}

/** Reads the beginning of a response body as text that every store accepts. */
const readBeginning = async (body: DeliveryResponse['body']): Promise<string> => {
  const text = typeof body === 'object' && body !== null ? await readStream(body) : (body ?? '')
  return text
    .slice(0, maxBodyLength)
    .replaceAll('\0', '')
    .replace(/\p{Surrogate}/gu, '')
}

const exchange = async (
  claimed: ClaimedDelivery,
  context: AttemptContext,
  signal: AbortSignal,
): Promise<Outcome> => {
  const { delivery, event, subscription } = claimed
  const now = context.signatureClock.now()
  const { headers } = await signWebhook({
    payload: event.payload,
    secret: listSecrets(subscription, context.clock.now()),
    id: delivery.webhookId,
    timestamp: Math.floor(now / 1_000),
  })
  const request = { method: 'POST', headers, body: event.payload, redirect: 'manual', signal } as const
  const response = await context.fetch(subscription.url, request, claimed)
  return {
    status: response.status,
    error: null,
    responseBody: await readBeginning(response.body),
    retryAfterMs: parseRetryAfter(response.headers.get('retry-after'), now) ?? 0,
  }
}

const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

const toFailure = (error: unknown): Outcome => ({
  status: null,
  error: describe(error),
  responseBody: null,
  retryAfterMs: 0,
})

/** Runs `work`. Rejects after the timeout, or if `stopping` is aborted, even if `work` ignores its signal. */
const withDeadline = async <Result>(
  { timeoutMs, stopping }: AttemptContext,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  const deadline = new AbortController()
  const stop = (): void => deadline.abort(new Error('stopped, because the dispatcher stops'))
  const timer = setTimeout(
    () => deadline.abort(new Error(`no complete response within ${timeoutMs} ms`)),
    timeoutMs,
  )
  stopping.addEventListener('abort', stop)
  const over = new Promise<never>((_, reject) => {
    deadline.signal.addEventListener('abort', () => reject(deadline.signal.reason))
  })
  try {
    return await Promise.race([work(deadline.signal), over])
  } finally {
    clearTimeout(timer)
    stopping.removeEventListener('abort', stop)
  }
}

/** Makes one attempt within the timeout: signs, sends, and reads the beginning of the response. */
export const attemptDelivery = async (
  claimed: ClaimedDelivery,
  context: AttemptContext,
): Promise<AttemptReport> => {
  const startedAt = context.clock.now()
  const { retryAfterMs, ...outcome } = await withDeadline(context, (signal) =>
    exchange(claimed, context, signal),
  ).catch(toFailure)
  const durationMs = Math.max(0, context.clock.now() - startedAt)
  return { attempt: { startedAt, durationMs, url: claimed.subscription.url, ...outcome }, retryAfterMs }
}
