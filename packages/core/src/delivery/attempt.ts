import { parseRetryAfter } from '@wabakit/contract'
import { signWebhook } from '@wabakit/webhooks'
import type { AttemptResult, SubscriptionRecord } from '../records.ts'
import type { ClaimedDelivery } from '../store.ts'
import type { Clock } from '../values/clock.ts'
import { readBeginning } from './read-beginning.ts'

/** What is sent; `fetch` takes it as its second argument. `signal` ends the attempt. */
export type DeliveryRequest = {
  readonly method: 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly redirect: 'manual'
  readonly signal: AbortSignal
}

/** What came back: a `Response`, or as much of one as is looked at. */
export type DeliveryResponse = {
  readonly status: number
  readonly headers: { get(name: 'retry-after'): string | null }
  /** Of a text, too, only the beginning is kept. */
  readonly body: ReadableStream<Uint8Array> | string | null
}

/** Sends an attempt: `fetch` fits. The third argument says what is sent, for those who need more than the request. */
export type DeliveryFetch = (
  url: string,
  request: DeliveryRequest,
  claimed: ClaimedDelivery,
) => Promise<DeliveryResponse>

/** What {@link attemptDelivery} works with. */
export type AttemptContext = {
  readonly fetch: DeliveryFetch
  readonly clock: Clock
  /** The clock of `webhook-timestamp` and of `Retry-After` dates. */
  readonly signatureClock: Clock
  readonly timeoutMs: number
  /** Aborted when the attempt must be given up. */
  readonly stopping: AbortSignal
}

/** What an attempt found, and how long the endpoint asks to wait, in milliseconds. */
export type AttemptReport = { readonly attempt: AttemptResult; readonly retryAfterMs: number }

type Answer = Pick<AttemptResult, 'status' | 'error' | 'responseBody'> & { readonly retryAfterMs: number }

const secretsOf = ({ secret, previousSecret }: SubscriptionRecord, now: number): string[] =>
  previousSecret !== null && previousSecret.expiresAt > now ? [secret, previousSecret.secret] : [secret]

const exchange = async (
  claimed: ClaimedDelivery,
  context: AttemptContext,
  signal: AbortSignal,
): Promise<Answer> => {
  const { delivery, event, subscription } = claimed
  const now = context.signatureClock.now()
  const { headers } = await signWebhook({
    payload: event.payload,
    secret: secretsOf(subscription, context.clock.now()),
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

const noAnswer = (error: unknown): Answer => ({
  status: null,
  error: describe(error),
  responseBody: null,
  retryAfterMs: 0,
})

/** Runs `work`; rejects when the time is over or `stopping` is aborted, even if `work` does not heed its signal. */
const withDeadline = async <Result>(
  { timeoutMs, stopping }: AttemptContext,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> => {
  const deadline = new AbortController()
  const giveUp = (): void => deadline.abort(new Error('given up, because the dispatcher stops'))
  const timer = setTimeout(
    () => deadline.abort(new Error(`no complete answer within ${timeoutMs} ms`)),
    timeoutMs,
  )
  stopping.addEventListener('abort', giveUp)
  const over = new Promise<never>((_, reject) => {
    deadline.signal.addEventListener('abort', () => reject(deadline.signal.reason))
  })
  try {
    return await Promise.race([work(deadline.signal), over])
  } finally {
    clearTimeout(timer)
    stopping.removeEventListener('abort', giveUp)
  }
}

/** One attempt: sign as of now, send, and read the beginning of the answer, all within the timeout. */
export const attemptDelivery = async (
  claimed: ClaimedDelivery,
  context: AttemptContext,
): Promise<AttemptReport> => {
  const startedAt = context.clock.now()
  const { retryAfterMs, ...answer } = await withDeadline(context, (signal) =>
    exchange(claimed, context, signal),
  ).catch(noAnswer)
  const durationMs = Math.max(0, context.clock.now() - startedAt)
  return { attempt: { startedAt, durationMs, url: claimed.subscription.url, ...answer }, retryAfterMs }
}
