import { redact } from '@wabakit/contract'
import type { ReferenceServer } from '@wabakit/core'
import { type AttemptOutcome, getAttemptOutcome, getResponseLine } from '@wabakit/core/hosting'
import type { Logger } from 'pino'
import { repeatsPersonalData } from '../delivery/personal-data.ts'

const levels = {
  delivered: 'debug',
  deferred: 'info',
  released: 'debug',
  stale: 'debug',
  retry: 'info',
  gone: 'warn',
  refused: 'warn',
  exhausted: 'warn',
} as const satisfies Record<AttemptOutcome, string>

/** Returns a line of an endpoint's response, or a note if it repeats personal data, which could not be erased from the log. */
const formatResponse = (body: string | null | undefined, payload: string): string | undefined => {
  const line = getResponseLine(body) ?? undefined
  return line !== undefined && repeatsPersonalData(line, payload) ? '(repeats personal data)' : line
}

export const logService = (service: Pick<ReferenceServer, 'on' | 'dispatcher'>, log: Logger): void => {
  if (log.isLevelEnabled('debug')) {
    service.on('*', (event, { id, organizationId }) =>
      log.debug({ eventId: id, organizationId, event: redact(event) }, 'event'),
    )
  }
  service.dispatcher.onAttempt((report) => {
    const { attempted, result, settlement } = report
    const { delivery, event, subscription } = attempted
    const outcome = getAttemptOutcome(report)
    const attempt = 'attempt' in result ? result.attempt : undefined
    log[levels[outcome]](
      {
        deliveryId: delivery.id,
        eventId: event.id,
        event: event.name,
        subscriptionId: subscription.id,
        outcome,
        status: attempt?.status,
        error: attempt?.error ?? undefined,
        response: outcome === 'delivered' ? undefined : formatResponse(attempt?.responseBody, event.payload),
        ms: attempt?.durationMs,
      },
      'delivery attempt',
    )
    // There are no health events about an operational subscription, so the log has to tell that it was disabled.
    const reason = settlement.outcome === 'settled' ? settlement.disabled : null
    if (subscription.channel === 'OPERATIONS' && reason !== null) {
      log.warn({ subscriptionId: subscription.id, reason }, 'operational subscription disabled')
    }
  })
  // The URL may contain a token.
  service.dispatcher.onHealth(({ type, data: { url: _, ...data } }) => {
    log[type === 'subscription.recovered' ? 'info' : 'warn'](data, type)
  })
}
