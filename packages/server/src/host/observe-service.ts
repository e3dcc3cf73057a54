import { redact } from '@wabakit/contract'
import type { AttemptReported, ReferenceServer } from '@wabakit/core'
import type { Metrics } from '../metrics/metrics.ts'
import { attemptOutcome } from './attempt-outcome.ts'
import type { Logger } from './logger.ts'

/** What {@link observeService} works with. */
export type ObservationContext = {
  readonly service: Pick<ReferenceServer, 'on' | 'dispatcher'>
  readonly metrics: Metrics
  readonly log: Logger
}

const levels = {
  delivered: 'debug',
  released: 'debug',
  stale: 'debug',
  retry: 'info',
  gone: 'warn',
  exhausted: 'warn',
} as const

const logAttempt = (log: Logger, report: AttemptReported): void => {
  const { delivery, event, subscription } = report.claimed
  const outcome = attemptOutcome(report)
  const attempt = 'attempt' in report.result ? report.result.attempt : undefined
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
  const disabled = report.settlement.outcome === 'settled' ? report.settlement.disabled : null
  if (disabled !== null)
    log.warn({ subscriptionId: subscription.id, reason: disabled }, 'subscription disabled')
}

/** Counts and logs what a service does. */
export const observeService = ({ service, metrics, log }: ObservationContext): void => {
  service.on('*', (event, { id, organizationId }) => {
    metrics.countEvent(event.event)
    if (log.isLevelEnabled('debug')) log.debug({ eventId: id, organizationId, event: redact(event) }, 'event')
  })
  service.dispatcher.onAttempt((report) => {
    const attempt = 'attempt' in report.result ? report.result.attempt : undefined
    metrics.countAttempt({ outcome: attemptOutcome(report), seconds: attempt && attempt.durationMs / 1_000 })
    logAttempt(log, report)
  })
}
