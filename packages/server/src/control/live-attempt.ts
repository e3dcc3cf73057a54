import type { AttemptReported } from '@wabakit/core'
import * as z from 'zod/mini'
import { getAttemptOutcome, getResponseLine } from '../delivery/attempt-outcome.ts'

/** An attempt in a live stream. Fields are null if no request was sent or there was no response. */
export const LiveAttempt = z.object({
  deliveryId: z.string(),
  eventId: z.string(),
  eventName: z.string(),
  subscriptionId: z.string(),
  url: z.string(),
  number: z.number(),
  outcome: z.string(),
  status: z.nullable(z.number()),
  error: z.nullable(z.string()),
  /** The first line of the response body, at most 200 characters. */
  response: z.nullable(z.string()),
  durationMs: z.nullable(z.number()),
  startedAt: z.nullable(z.string()),
})
export type LiveAttempt = z.infer<typeof LiveAttempt>

export const showLiveAttempt = (report: AttemptReported): LiveAttempt => {
  const { delivery, event, subscription } = report.attempted
  const attempt = 'attempt' in report.result ? report.result.attempt : undefined
  return {
    deliveryId: delivery.id,
    eventId: event.id,
    eventName: event.name,
    subscriptionId: subscription.id,
    url: subscription.url,
    number: delivery.attempts + 1,
    outcome: getAttemptOutcome(report),
    status: attempt?.status ?? null,
    error: attempt?.error ?? null,
    response: getResponseLine(attempt?.responseBody),
    durationMs: attempt?.durationMs ?? null,
    startedAt: attempt === undefined ? null : new Date(attempt.startedAt).toISOString(),
  }
}
