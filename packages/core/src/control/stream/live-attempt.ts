import { maskUrl } from '@wabakit/wire'
import { getAttemptOutcome, getResponseLine } from '../../hosting/attempt-outcome.ts'
import type { AttemptReported } from '../../index.ts'

/**
 * An attempt in a live stream. Without a response, `status` and `response` are null. If the attempt was released, so
 * are `error`, `durationMs` and `startedAt`.
 */
export type LiveAttempt = {
  readonly deliveryId: string
  readonly eventId: string
  readonly eventName: string
  /** The call, group or subscription, such as `call:call_1`. */
  readonly subject: string
  readonly subscriptionId: string
  readonly url: string
  readonly number: number
  readonly outcome: string
  readonly status: number | null
  readonly error: string | null
  /** The first line of the response body that is not blank, at most 200 characters. */
  readonly response: string | null
  readonly durationMs: number | null
  readonly startedAt: string | null
}

export const showLiveAttempt = (report: AttemptReported): LiveAttempt => {
  const { delivery, event, subscription } = report.attempted
  const attempt = 'attempt' in report.result ? report.result.attempt : undefined
  return {
    deliveryId: delivery.id,
    eventId: event.id,
    eventName: event.name,
    subject: event.subject,
    subscriptionId: subscription.id,
    url: maskUrl(subscription.url),
    number: delivery.attempts + 1,
    outcome: getAttemptOutcome(report),
    status: attempt?.status ?? null,
    error: attempt?.error ?? null,
    response: getResponseLine(attempt?.responseBody),
    durationMs: attempt?.durationMs ?? null,
    startedAt: attempt === undefined ? null : new Date(attempt.startedAt).toISOString(),
  }
}
