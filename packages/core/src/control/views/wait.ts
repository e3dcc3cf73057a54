import { UtcTimestamp } from '@wabakit/contract'
import * as z from 'zod/mini'
import type { Wait } from '../../delivery/explain-wait.ts'
import { named, utc } from '../schemas.ts'

const text = { text: z.string() }
const other = { deliveryId: z.string(), eventName: z.string(), ...text }

export const WaitView = named(
  'Wait',
  'What a delivery waits for. `event`: the delivery of an earlier event, which must be finished first. `lane`: another delivery of the same subject blocks it, or comes before it. `retry`: its next attempt. `deferred`: the same, because the endpoint was already handling the event. `attempting`: the result of an attempt. `disabled`: nothing; it was skipped, and its subscription is still disabled. `slot`: it is due, and a worker takes it as soon as it can. `limit`: it is due, and its subscription has a `maxAttemptsPerSecond`. `endpoint`: it is due, and other attempts to the endpoint are under way. `text` says it in a sentence.',
  z.discriminatedUnion('reason', [
    z.object({ reason: z.literal('event'), ...other }),
    z.object({
      reason: z.literal('lane'),
      ...other,
      attempt: z.number(),
      nextAttemptAt: z.nullable(UtcTimestamp),
    }),
    z.object({ reason: z.enum(['retry', 'deferred']), nextAttemptAt: z.string(), ...text }),
    z.object({ reason: z.literal('attempting'), leaseExpiresAt: z.string(), ...text }),
    z.object({ reason: z.enum(['slot', 'limit', 'endpoint']), ...text }),
    z.object({
      reason: z.literal('disabled'),
      disabledReason: z.enum(['by_hand', 'gone', 'failing']),
      ...text,
    }),
  ]),
)
export type WaitView = z.infer<typeof WaitView>

const disabledTexts = {
  by_hand: 'The subscription is disabled. Enable it, and resend.',
  gone: 'The subscription is disabled, because its endpoint is gone (410). Enable it, and resend.',
  failing: 'The subscription is disabled, because every attempt failed for 5 days. Enable it, and resend.',
} as const

/** Formats a time for a sentence. Includes the date unless it is the date of `now`. */
export const formatMoment = (time: number, now: number): string => {
  const [date, clock = ''] = utc(time).split('T')
  const moment = `${clock.slice(0, 8)} UTC`
  return utc(now).startsWith(`${date}T`) ? moment : `${date} ${moment}`
}

export const showWait = (wait: Wait, now: number): WaitView => {
  switch (wait.reason) {
    case 'event': {
      const { id: deliveryId, eventName } = wait.delivery
      return { reason: 'event', deliveryId, eventName, text: `Waits for ${eventName}.` }
    }
    case 'lane': {
      const { id: deliveryId, eventName, attempts, failures, dueAt, status } = wait.delivery
      const next = status === 'pending' && dueAt !== null ? dueAt : null
      const attempt = status === 'attempting' ? attempts + 1 : attempts
      const failed = failures === 0 ? '' : ', which failed'
      const until = next === null || next <= now ? '' : `, next attempt at ${formatMoment(next, now)}`
      const nextAttemptAt = next === null ? null : utc(next)
      return {
        reason: 'lane',
        deliveryId,
        eventName,
        attempt,
        nextAttemptAt,
        text: `Waits for ${eventName}${failed}${until}.`,
      }
    }
    case 'retry':
    case 'deferred': {
      const cause = wait.reason === 'deferred' ? 'The endpoint was already handling the event. ' : ''
      const text = `${cause}Next attempt at ${formatMoment(wait.until, now)}.`
      return { reason: wait.reason, nextAttemptAt: utc(wait.until), text }
    }
    case 'attempting':
      return { reason: 'attempting', leaseExpiresAt: utc(wait.until), text: 'It is being attempted.' }
    case 'endpoint': {
      const text =
        'It is due, but other attempts to its endpoint are under way; a new or failing endpoint gets one at a time.'
      return { reason: 'endpoint', text }
    }
    case 'limit': {
      const text = `It is due, but its subscription gets at most ${wait.maxAttemptsPerSecond} attempts per second.`
      return { reason: 'limit', text }
    }
    case 'slot':
      return { reason: 'slot', text: 'It is due, and a worker takes it as soon as it can.' }
    case 'disabled': {
      const { disabledReason } = wait
      return { reason: 'disabled', disabledReason, text: disabledTexts[disabledReason] }
    }
  }
  return wait satisfies never
}
