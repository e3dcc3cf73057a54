import { redact } from '@wabakit/contract'
import type { AttemptReported, ReferenceServer } from '@wabakit/core'
import type { Logger } from 'pino'
import { type AttemptOutcome, getAttemptOutcome } from '../delivery/attempt-outcome.ts'
import type { Metrics } from '../metrics/metrics.ts'

const levels = {
  delivered: 'debug',
  deferred: 'info',
  released: 'debug',
  stale: 'debug',
  retry: 'info',
  gone: 'warn',
  exhausted: 'warn',
} as const satisfies Record<AttemptOutcome, string>

/** Counts and logs the events and attempts of a service. */
export const observeService = (
  service: Pick<ReferenceServer, 'on' | 'dispatcher'>,
  metrics: Metrics,
  log: Logger,
): void => {
  service.on('*', (event, { id, organizationId }) => {
    metrics.countEvent(event.event)
    if (log.isLevelEnabled('debug')) log.debug({ eventId: id, organizationId, event: redact(event) }, 'event')
  })
  service.dispatcher.onAttempt((report: AttemptReported) => {
    const { claimed, result, settlement } = report
    const { delivery, event, subscription } = claimed
    const outcome = getAttemptOutcome(report)
    const attempt = 'attempt' in result ? result.attempt : undefined
    metrics.countAttempt({ outcome, seconds: attempt && attempt.durationMs / 1_000 })
    log[levels[outcome]](
      {
        deliveryId: delivery.id,
        eventId: event.id,
        event: event.name,
        subscriptionId: subscription.id,
        outcome,
        status: attempt?.status,
        error: attempt?.error ?? undefined,
        ms: attempt?.durationMs,
      },
      'delivery attempt',
    )
    if (settlement.outcome === 'settled' && settlement.disabled !== null) {
      log.warn({ subscriptionId: subscription.id, reason: settlement.disabled }, 'subscription disabled')
    }
  })
}
